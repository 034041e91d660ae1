#!/bin/sh
# Counts the seconds of February in a leap year. Answers one turn: text in on stdin, text out on stdout.
# Lines that quote others begin with "| ", so this one is the facilitator's own.
state=$(sed -n 's/^State: "\(.*\)"\.$/\1/p')

case $state in
  proposal) echo "[agree] A good plan." ;;
  assign) echo "[accept] I take it." ;;
  execution) echo "[result february] $((29 * 24 * 60 * 60))" ;;
  *) echo "I have nothing to add." ;;
esac
