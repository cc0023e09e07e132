// Calls the hooks of our plugin as OpenCode does, and prints what they changed. The first argument is
// the plugin.
import { pathToFileURL } from "node:url"

const { Tacit } = await import(pathToFileURL(process.argv[2]).href)
const client = { session: { get: async ({ path }) => ({ data: { parentID: path.id === "resumed-helper" ? "main" : undefined } }) } }
const hooks = await Tacit({ client, directory: "/home/dev/project" })
const event = (type, properties) => hooks.event({ event: { type, properties } })
const says = (sessionID, text) =>
  hooks["chat.message"]({ sessionID }, { parts: [{ type: "text", text }, { type: "text", text: "x", synthetic: true }] })
const system = async (sessionID, first) => {
  const output = { system: [first] }
  await hooks["experimental.chat.system.transform"]({ sessionID }, output)
  return output.system.slice(1)
}
const after = async (tool, output) => {
  await hooks["tool.execute.after"]({ tool, sessionID: "main", callID: tool, args: {} }, output)
  return output
}
const before = (command) =>
  hooks["tool.execute.before"]({ tool: "bash", sessionID: "main", callID: command }, { args: { command } })
const threw = (callID, error) =>
  event("message.part.updated", {
    sessionID: "main",
    part: { type: "tool", tool: "read", callID, state: { status: "error", input: { filePath: "a" }, error } },
  })

const results = {}
await event("session.created", { sessionID: "main", info: { id: "main" } })
await says("main", "hello")
results.title = await system("main", "You are a title generator. You output ONLY a thread title.")
results.main = await system("main", "You are a coding agent.")
await event("session.created", { sessionID: "helper", info: { id: "helper", parentID: "main" } })
await says("helper", "look around")
await event("session.idle", { sessionID: "helper" })
await says("resumed-helper", "look again")
results.command = await after("bash", { output: "out", metadata: { exit: 3 } })
results.server = await after("tacit_memory_search", { content: [{ type: "text", text: "found" }], isError: false })
await before("make")
results.denied = await before("make wipe").then(() => null, (error) => error.message)
await threw("make wipe", "NO")
await threw("read", "File not found: a")
await threw("read", "File not found: a")
results.thrown = await system("main", "You are a coding agent.")
await says("main", "go on")
results.later = await system("main", "You are a coding agent.")
console.log(JSON.stringify(results))
