"""Counts the seconds of a leap year. Answers one turn: JSON in on stdin, JSON out on stdout."""

import json
import sys

turn = json.load(sys.stdin)

if turn["state"] == "proposal":
    answer = {"intent": "agree", "content": "Yes.", "replyTo": turn["replyTo"]}
elif turn["state"] == "assign":
    answer = {"intent": "accept", "content": "With pleasure."}
elif turn["board"]["yours"]:
    answer = [
        {"intent": "result", "content": str(366 * 24 * 60 * 60), "payload": {"subtask": subtask}}
        for subtask in turn["board"]["yours"]
    ]
else:
    # Bare text will do as well: its intent is found by what it says and what is expected.
    answer = {"text": "I can count."}
print(json.dumps(answer))
