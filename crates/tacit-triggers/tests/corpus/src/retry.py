# The rule is in agents/decisions/storage.md: Retry Busy Database.
# Timeout Budget is a phrase here and no reference.
TRIES = 3
