// The project of the walk: 10,000 memories, code with a history, sessions with the fates of what they were shown, a backup.
import { writeCode } from './code.mjs';
import { exportOf } from './memories.mjs';
import { DANGER, SESSIONS } from './sessions.mjs';
import { play } from './story.mjs';
import { before, Project } from './tacit.mjs';

const MEMORIES = Number(process.env.MEMORIES ?? 10_000);

export async function buildWorld(tacit, memories = MEMORIES) {
  const project = new Project(tacit);
  project.run(['init', '--yes', '--no-hooks']);
  writeCode(project);
  project.remember(DANGER, { args: ['--tag', 'danger'] });
  play(project, SESSIONS);
  // Learns from the sessions, judges what they were shown, and backs up.
  project.run(['maintain'], { env: { TACIT_NOW: before(5) } });
  // Vectors of all memories would take minutes; the flows of embedding need some that wait.
  const words = { TACIT_EMBEDDING_PROVIDER: 'off' };
  project.run(['import', '-', '--trust'], { input: await exportOf(memories), env: words });
  project.run(['remember', '--global', '--type', 'preference', 'Answer in the language of the question.'], { env: words });
  project.run(['code', 'index']);
  return project;
}
