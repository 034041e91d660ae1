/** The agents that a task file describes. */
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Agent } from '../agents/agent.ts'
import { openai } from '../agents/openai.ts'
import { person } from '../agents/person.ts'
import { subprocess } from '../agents/subprocess.ts'
import { ColloquyError, messageOf } from '../errors.ts'
import type { TaskFile } from './task.ts'
import type { ExecMember, Member, ModelMember, ModuleMember, PersonMember } from './task-schema.ts'

/** An agent of whatever protocol the task names. */
type AnyAgent = Agent<object>

export interface AgentSettings {
  /** In place of the model that each member names. */
  readonly model?: string
  /** Where persons read. */
  readonly personOutput: NodeJS.WritableStream & { readonly isTTY?: boolean }
  /** Told of each line that a program writes to its stderr. */
  onStderr(member: string, line: string): void
}

/**
 * Makes the agents of a task. No program is started and no model asked yet; modules are loaded.
 * @throws ColloquyError `TASK_INVALID` (files and modules), `ENDPOINT_INVALID` (address, key), `DEPENDENCY_MISSING`
 */
export const agentsOf = async (
  file: TaskFile,
  settings: AgentSettings,
): Promise<ReadonlyMap<string, AnyAgent>> => {
  const agents = new Map<string, AnyAgent>()
  for (const [id, member] of file.members) {
    const agent = await agentOf(id, member, file, settings)
    const { capabilities, timeout } = member
    const limits = {
      ...(capabilities === undefined ? {} : { capabilities }),
      ...(timeout === undefined ? {} : { timeout }),
    }
    agents.set(id, Object.assign(agent, limits))
  }
  return agents
}

/** Whether any member is a language model. */
export const hasModel = ({ members }: TaskFile): boolean =>
  [...members.values()].some((member) => 'model' in member)

const agentOf = (
  id: string,
  member: Member,
  file: TaskFile,
  settings: AgentSettings,
): AnyAgent | Promise<AnyAgent> => {
  if ('exec' in member) return ofProgram(id, member, file, settings)
  if ('model' in member) return ofModel(id, member, file, settings)
  if ('module' in member) return ofModule(id, member, file)
  return ofPerson(member, settings)
}

const ofProgram = (
  id: string,
  { exec, cwd = '.', env, persistent, input }: ExecMember,
  file: TaskFile,
  { onStderr }: AgentSettings,
): AnyAgent => {
  const folder = resolve(file.folder, cwd)
  if (!isFolder(folder)) throw file.refuse(`members.${id}.cwd`, `names no folder: ${cwd}`)
  return subprocess(exec, {
    cwd: folder,
    ...(env === undefined ? {} : { env: environment(env) }),
    ...(persistent === undefined ? {} : { persistent }),
    ...(input === undefined ? {} : { input }),
    onStderr: (line) => onStderr(id, line),
  })
}

/** The variables of this process with some set and, where null, some taken away. */
const environment = (
  changes: Readonly<Record<string, string | number | boolean | null>>,
): Record<string, string | undefined> => {
  const env: Record<string, string | undefined> = { ...process.env }
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete env[name]
    else env[name] = String(value)
  }
  return env
}

const ofModel = async (
  id: string,
  member: ModelMember,
  file: TaskFile,
  settings: AgentSettings,
): Promise<AnyAgent> => {
  const { baseURL, system, temperature, maxTokens, apiKeyEnv } = member
  let agent: AnyAgent
  try {
    agent = openai({
      model: settings.model ?? member.model,
      ...(baseURL === undefined ? {} : { baseURL }),
      ...(system === undefined ? {} : { system }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
    })
  } catch (error) {
    if (!(error instanceof ColloquyError)) throw error
    const { code, remedy } = error
    throw new ColloquyError(code, `${file.path}, member "${id}": ${error.message}`, { remedy, cause: error })
  }
  // Else the group would find out only by its faults, one turn after the other.
  await import('openai').catch((cause: unknown) => {
    const message = `The member "${id}" of ${file.path} is a model, which needs the package "openai"; it could not be loaded`
    throw new ColloquyError('DEPENDENCY_MISSING', message, { cause, remedy: 'Run: npm install openai' })
  })
  return agent
}

const ofPerson = ({ name }: PersonMember, { personOutput }: AgentSettings): AnyAgent =>
  person({ output: personOutput as NodeJS.WriteStream, ...(name === undefined ? {} : { name }) })

const ofModule = async (id: string, member: ModuleMember, file: TaskFile): Promise<AnyAgent> => {
  const field = `members.${id}.module`
  const path = resolve(file.folder, member.module)
  if (!existsSync(path)) throw file.refuse(field, `names no file: ${member.module}`)
  if (isFolder(path)) throw file.refuse(field, `names a folder, not a module: ${member.module}`)
  const loaded: Readonly<Record<string, unknown>> = await import(pathToFileURL(path).href).catch(
    (error: unknown) => {
      throw file.refuse(field, `could not be loaded: ${messageOf(error)}`)
    },
  )
  const name = member.export ?? 'default'
  const found = loaded[name]
  if (isAgent(found)) return borrowed(found)
  const others = Object.keys(loaded).filter((each) => typeof loaded[each] === 'function')
  const advice = others.length > 0 ? `; functions that it exports: ${others.join(', ')}` : ''
  throw file.refuse(
    member.export === undefined ? field : `members.${id}.export`,
    `has no function as its ${member.export === undefined ? 'default export' : `export "${name}"`}${advice}`,
  )
}

const isAgent = (value: unknown): value is AnyAgent => typeof value === 'function'

/** The module's agent under another identity, so that the task's limits change nobody else's. */
const borrowed = (agent: AnyAgent): AnyAgent => {
  const own: AnyAgent = (turn, signal) => agent(turn, signal)
  const { capabilities, timeout } = agent
  return Object.assign(own, {
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(agent.close === undefined ? {} : { close: async () => agent.close?.() }),
  })
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
