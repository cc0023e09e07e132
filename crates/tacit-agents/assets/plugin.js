// Tacit for @TITLE@: passes events to `tacit hook` and its replies to the model.
// Written by `tacit`; `tacit uninstall` removes it. Changes are overwritten.

import { spawn } from "node:child_process"

const TACIT = @TACIT@
const LIMITS = {
  "session.created": 10000,
  "subagent.created": 5000,
  "chat.message": 10000,
  "tool.execute.before": 5000,
  "tool.execute.after": 5000,
  "tool.execute.error": 5000,
  "session.idle": 30000,
  "session.compacted": 10000,
  "session.deleted": 10000,
}
// How long to look for the session that started another one.
const LOOKUP = 1000
// The client asks for a title with the hooks of the session it is for.
const TITLE = /^you are a title generator/i

// Runs one hook. It never throws: if the hook fails, hangs or is not installed, the reply is empty.
const ask = (event, payload) =>
  new Promise((resolve) => {
    let output = ""
    let child
    try {
      child = spawn(TACIT, ["hook", @CLIENT@, event], { stdio: ["pipe", "pipe", "ignore"] })
    } catch {
      return resolve({})
    }
    const timer = setTimeout(() => child.kill(), LIMITS[event])
    child.on("error", () => {
      clearTimeout(timer)
      resolve({})
    })
    child.stdout.on("data", (chunk) => (output += chunk))
    child.stdin.on("error", () => {})
    child.on("close", () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(output) ?? {})
      } catch {
        resolve({})
      }
    })
    child.stdin.end(JSON.stringify(payload))
  })

export const Tacit = async ({ client, directory }) => {
  const started = new Set()
  const parents = new Map() // by session: the session that started it, if any
  const startContext = new Map() // by session: the context from its start
  const promptContext = new Map() // by session: the context for the current prompt
  const errors = new Map() // by session: promises of the replies about tools that threw
  const reported = new Set() // calls of tools that threw, or that we stopped

  // Finds the parent of a session whose creation was not seen, such as a resumed one.
  const lookUp = async (session) => {
    let timer
    const late = new Promise((resolve) => (timer = setTimeout(resolve, LOOKUP)))
    try {
      const found = await Promise.race([client.session.get({ path: { id: session } }), late])
      parents.set(session, found?.data?.parentID)
    } catch {
      parents.set(session, undefined)
    }
    clearTimeout(timer)
  }

  // A subagent has a session of its own. Its events are those of the first session above it.
  const base = (session) => {
    let root = session
    while (parents.get(root)) root = parents.get(root)
    const own = { session_id: root, cwd: directory }
    return root === session ? own : { ...own, agent_id: session }
  }

  const start = async (session, source) => {
    started.add(session)
    const event = parents.get(session) ? "subagent.created" : "session.created"
    const { context } = await ask(event, { ...base(session), source })
    if (context) startContext.set(session, context)
    else startContext.delete(session)
  }

  const forget = (session) => {
    started.delete(session)
    for (const known of [parents, startContext, promptContext, errors]) known.delete(session)
  }

  // A tool that throws is reported only here. Its result is not ours to extend, so the context
  // waits for the next request to the model.
  const threw = (session, part) => {
    if (reported.has(part.callID)) return
    reported.add(part.callID)
    const reply = ask("tool.execute.error", {
      ...base(session),
      tool_name: part.tool,
      tool_use_id: part.callID,
      tool_input: part.state.input,
      error: part.state.error,
    })
    errors.set(session, [...(errors.get(session) ?? []), reply])
  }

  return {
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id
      if (!session) return
      if (event.type === "session.created") {
        parents.set(session, event.properties.info?.parentID)
      } else if (event.type === "message.part.updated") {
        const part = event.properties.part
        if (part?.type === "tool" && part.state?.status === "error") threw(session, part)
      } else if (event.type === "session.idle") {
        await ask("session.idle", base(session))
      } else if (event.type === "session.compacted") {
        await ask("session.compacted", base(session))
        await start(session, "compact")
      } else if (event.type === "session.deleted") {
        await ask("session.deleted", base(session))
        forget(session)
      }
    },

    "chat.message": async (input, output) => {
      const session = input.sessionID
      if (!parents.has(session)) await lookUp(session)
      if (!started.has(session)) await start(session, "startup")
      errors.delete(session)
      const prompt = (output.parts ?? [])
        .filter((part) => part.type === "text" && !part.synthetic)
        .map((part) => part.text)
        .join("\n")
      const { context } = prompt ? await ask("chat.message", { ...base(session), prompt }) : {}
      if (context) promptContext.set(session, context)
      else promptContext.delete(session)
    },

    "experimental.chat.system.transform": async (input, output) => {
      if (TITLE.test(output.system[0] ?? "")) return
      const session = input.sessionID
      const replies = await Promise.all(errors.get(session) ?? [])
      const thrown = replies.map((reply) => reply.context)
      for (const context of [startContext.get(session), promptContext.get(session), ...thrown]) {
        if (context) output.system.push(context)
      }
    },

    "tool.execute.before": async (input, output) => {
      if (input.tool !== "bash") return
      const { deny } = await ask("tool.execute.before", {
        ...base(input.sessionID),
        tool_name: input.tool,
        tool_use_id: input.callID,
        tool_input: output.args,
      })
      if (!deny) return
      // The client shows the model why a hook threw, and does not run the tool.
      reported.add(input.callID)
      throw new Error(deny)
    },

    "tool.execute.after": async (input, output) => {
      // A tool of an MCP server has content instead of output.
      const fromServer = Array.isArray(output.content)
      const { context } = await ask("tool.execute.after", {
        ...base(input.sessionID),
        tool_name: input.tool,
        tool_use_id: input.callID,
        tool_input: input.args,
        tool_response: fromServer
          ? { content: output.content, isError: output.isError }
          : { output: output.output, metadata: { exit: output.metadata?.exit } },
      })
      if (!context) return
      if (fromServer) output.content.push({ type: "text", text: context })
      else output.output = `${output.output ?? ""}\n\n${context}`
    },
  }
}
