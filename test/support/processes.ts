/** Asks `ps`, which POSIX specifies, about processes that are not children of this one. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Process {
  id: number;
  parentId: number;
  residentBytes: number;
  /** A zombie has exited, but its parent has not taken notice yet. */
  isZombie: boolean;
}

export async function listProcesses(): Promise<Process[]> {
  // One option for each column: on macOS, text after `=` is a header up to the end of the option, commas included.
  const columns = ['pid', 'ppid', 'rss', 'stat'].flatMap((name) => ['-o', `${name}=`]);
  const { stdout } = await run('ps', ['-A', ...columns]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      // `rss` is in units of 1024 bytes.
      const [id, parentId, residentKilobytes, state = ''] = line.trim().split(/\s+/);
      return {
        id: Number(id),
        parentId: Number(parentId),
        residentBytes: Number(residentKilobytes) * 1024,
        isZombie: state.startsWith('Z'),
      };
    });
}
