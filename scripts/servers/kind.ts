/** What has to be known of a server, so that it can be found, installed, started and stopped like any other. */

/** A server's own place for one run. */
export interface Place {
  /** Folder with its programs. */
  readonly programs: string
  /** An empty folder that is its account's, and goes when it stops. */
  readonly folder: string
  /** Of 127.0.0.1, and free. */
  readonly port: number
}

export interface Command {
  readonly program: string
  readonly args: readonly string[]
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>>
}

export interface ServerKind {
  /** As the command line and the file for Docker Compose call it. */
  readonly name: string
  readonly title: string
  /** Debian's packages that bring it. */
  readonly packages: readonly string[]
  /** The account that it runs under when this process is root's; its packages make it. Null: root will do. */
  readonly account: string | null
  /** The folder with its programs; null: it is not installed. */
  find(): string | null
  /** What is done before it starts, one after the other. */
  prepare(place: Place): readonly Command[]
  /** Runs it in the foreground, listening at 127.0.0.1 only. */
  start(place: Place): Command
  /** Whether it takes connections. */
  isReady(place: Place): Promise<boolean>
  /** Ends it in good order. */
  readonly stop: NodeJS.Signals
  /** Ends it at once; its data goes anyway. */
  readonly kill: NodeJS.Signals
  url(port: number): string
  /** The environment variable that tells tests where it is. */
  readonly variable: string
  /** Its port within a container. */
  readonly containerPort: number
}
