/** The directory with the log file of each function. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunContext } from '../run-context.ts';
import { nameWithoutHash } from '../template/template.ts';

/** Deleted at the end of an ephemeral run. */
export function openLogDirectory({ storeDirectory, resources }: RunContext): string {
  if (storeDirectory !== undefined) return join(storeDirectory, 'logs');
  const directory = mkdtempSync(join(tmpdir(), 'gateway-logs-'));
  resources.defer(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function logFileOf(logDirectory: string, functionLogicalId: string): string {
  return join(logDirectory, `${nameWithoutHash(functionLogicalId)}.log`);
}
