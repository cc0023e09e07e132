/** The names of agent clients, which are the same in every language; an id that is not known is shown as it is. */
const CLIENTS: Readonly<Record<string, string>> = {
  claude: 'Claude Code', codex: 'Codex CLI', gemini: 'Gemini CLI', cursor: 'Cursor', copilot: 'Copilot CLI',
  opencode: 'OpenCode', kilo: 'Kilo', qwen: 'Qwen Code',
};

export const clientName = (id: string): string => CLIENTS[id] ?? id;
