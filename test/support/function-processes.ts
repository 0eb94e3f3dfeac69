/** The processes in which the local gateway of this process runs its functions, as the kernel knows them (Linux). */
import { readdir, readFile } from 'node:fs/promises';

/** Ids of those whose function has this text in its name; those that begin or end meanwhile may be missed. */
export async function functionProcessIds(partOfName: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(ids.map(async (id) => ((await runs(id, partOfName)) ? [id] : [])));
  return found.flat();
}

async function runs(processId: number, partOfName: string): Promise<boolean> {
  try {
    const status = await readFile(`/proc/${processId}/status`, 'utf8');
    if (!status.includes(`\nPPid:\t${process.pid}\n`)) return false;
    const environment = (await readFile(`/proc/${processId}/environ`, 'utf8')).split('\0');
    return environment.some(
      (variable) => variable.startsWith('AWS_LAMBDA_FUNCTION_NAME=') && variable.includes(partOfName),
    );
  } catch {
    // It has ended, or belongs to somebody else.
    return false;
  }
}
