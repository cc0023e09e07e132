// Tacit for OpenCode: passes events to `tacit hook` and its replies to the model.
// Written by `tacit`; `tacit uninstall` removes it. Changes are overwritten.

import { spawn } from "node:child_process"

const TACIT = @TACIT@
const LIMITS = {
  "session.created": 10000,
  "chat.message": 10000,
  "tool.execute.before": 5000,
  "tool.execute.after": 5000,
  "session.idle": 30000,
  "session.compacted": 10000,
  "session.deleted": 10000,
}

// Runs one hook. It never throws: if the hook fails, hangs or is not installed, there is no reply.
const ask = (event, payload) =>
  new Promise((resolve) => {
    let output = ""
    let child
    try {
      child = spawn(TACIT, ["hook", "opencode", event], { stdio: ["pipe", "pipe", "ignore"] })
    } catch {
      return resolve(undefined)
    }
    const timer = setTimeout(() => child.kill(), LIMITS[event])
    child.on("error", () => {
      clearTimeout(timer)
      resolve(undefined)
    })
    child.stdout.on("data", (chunk) => (output += chunk))
    child.stdin.on("error", () => {})
    child.on("close", () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(output).context)
      } catch {
        resolve(undefined)
      }
    })
    child.stdin.end(JSON.stringify(payload))
  })

export const Tacit = async ({ directory }) => {
  const started = new Set()
  const startContext = new Map() // by session: the context from its start
  const promptContext = new Map() // by session: the context for the current prompt

  const base = (session) => ({ session_id: session, cwd: directory })

  const start = async (session, source) => {
    started.add(session)
    const context = await ask("session.created", { ...base(session), source })
    if (context) startContext.set(session, context)
    else startContext.delete(session)
  }

  return {
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id
      if (!session) return
      if (event.type === "session.idle") {
        await ask("session.idle", base(session))
      } else if (event.type === "session.compacted") {
        await ask("session.compacted", base(session))
        await start(session, "compact")
      } else if (event.type === "session.deleted") {
        await ask("session.deleted", base(session))
        started.delete(session)
        startContext.delete(session)
        promptContext.delete(session)
      }
    },

    "chat.message": async (input, output) => {
      const session = input.sessionID
      if (!started.has(session)) await start(session, "startup")
      const prompt = (output.parts ?? [])
        .filter((part) => part.type === "text" && !part.synthetic)
        .map((part) => part.text)
        .join("\n")
      const context = prompt && (await ask("chat.message", { ...base(session), prompt }))
      if (context) promptContext.set(session, context)
      else promptContext.delete(session)
    },

    "experimental.chat.system.transform": async (input, output) => {
      for (const known of [startContext, promptContext]) {
        const context = known.get(input.sessionID)
        if (context) output.system.push(context)
      }
    },

    "tool.execute.before": async (input, output) => {
      if (input.tool !== "bash") return
      await ask("tool.execute.before", {
        ...base(input.sessionID),
        tool_name: input.tool,
        tool_use_id: input.callID,
        tool_input: output.args,
      })
    },

    "tool.execute.after": async (input, output) => {
      const context = await ask("tool.execute.after", {
        ...base(input.sessionID),
        tool_name: input.tool,
        tool_use_id: input.callID,
        tool_input: input.args,
        tool_response: { output: output.output, metadata: { exit: output.metadata?.exit } },
      })
      if (context) output.output += `\n\n${context}`
    },
  }
}
