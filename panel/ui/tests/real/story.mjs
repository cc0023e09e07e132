// Plays sessions of an agent through the real hooks, from text: `session ID AT`, then what happens, line by line.
// Lines that begin with `|` are the output of the line above, or what an edit removes and adds.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SECOND = 1_000;
const MINUTE = 60_000;

function steps(text) {
  const found = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('|')) found.at(-1).body.push(line.replace(/^\| ?/, ''));
    else if (line.trim()) {
      const [, word, rest] = /^(\S+) ?(.*)$/.exec(line);
      found.push({ word, rest, body: [] });
    }
  }
  return found;
}

const part = (body, mark) => body.filter((line) => line.startsWith(mark)).map((line) => line.slice(1)).join('\n');

/** The events of Claude Code for one step: names with payloads. */
const EVENTS = {
  prompt: ({ rest }) => [['UserPromptSubmit', { prompt: rest }]],
  reads: ({ rest }) => [['PostToolUse', { tool_name: 'Read', tool_input: { file_path: rest }, tool_response: { filePath: rest } }]],
  tries: ({ rest }) => [['PreToolUse', { tool_name: 'Bash', tool_input: { command: rest } }]],
  runs: ({ rest, body }) => [
    ['PreToolUse', { tool_name: 'Bash', tool_input: { command: rest } }],
    ['PostToolUse', { tool_name: 'Bash', tool_input: { command: rest }, tool_response: { stdout: body.join('\n'), stderr: '', interrupted: false } }],
  ],
  fails: ({ rest, body }) => [
    ['PreToolUse', { tool_name: 'Bash', tool_input: { command: rest } }],
    ['PostToolUseFailure', { tool_name: 'Bash', tool_input: { command: rest }, error: ['Exit code 101', ...body].join('\n'), is_interrupt: false }],
  ],
  edits: ({ rest, body }) => {
    const input = { file_path: rest, old_string: part(body, '-'), new_string: part(body, '+') };
    return [['PostToolUse', { tool_name: 'Edit', tool_input: input, tool_response: { filePath: rest } }]];
  },
  says: ({ rest }) => [['Stop', { stop_hook_active: false, last_assistant_message: rest }]],
  ends: () => [['SessionEnd', { reason: 'other' }]],
};

/** Plays all sessions; each step is a minute after the one before. */
export function play(project, text) {
  let session;
  let at = 0;
  let call = 0;
  const fire = (event, payload) => {
    at += SECOND;
    project.hook(session, event, { tool_use_id: `call-${call}`, ...payload }, new Date(at).toISOString());
  };
  for (const step of steps(text)) {
    if (step.word === 'session') {
      const [id, start] = step.rest.split(' ');
      session = id;
      at = Date.parse(start);
      fire('SessionStart', { source: 'startup' });
      continue;
    }
    at += MINUTE;
    if (step.word === 'edits') {
      const content = readFileSync(join(project.root, step.rest), 'utf8');
      project.file(step.rest, content.replace(part(step.body, '-'), part(step.body, '+')));
    }
    call += 1;
    for (const [event, payload] of EVENTS[step.word](step)) fire(event, payload);
  }
}
