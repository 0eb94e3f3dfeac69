/** Finds the function processes of this process's local gateway in `/proc` (Linux). */
import { readdir, readFile } from 'node:fs/promises';

/** Processes that start or end during the search may be missed. */
export async function functionProcessIds(partOfName: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    ids.map(async (id) => ((await isFunctionProcess(id, partOfName)) ? [id] : [])),
  );
  return found.flat();
}

async function isFunctionProcess(processId: number, partOfName: string): Promise<boolean> {
  try {
    const status = await readFile(`/proc/${processId}/status`, 'utf8');
    if (!status.includes(`\nPPid:\t${process.pid}\n`)) return false;
    const environment = (await readFile(`/proc/${processId}/environ`, 'utf8')).split('\0');
    return environment.some(
      (variable) => variable.startsWith('AWS_LAMBDA_FUNCTION_NAME=') && variable.includes(partOfName),
    );
  } catch {
    // The process has ended, or belongs to another user.
    return false;
  }
}
