import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openFunctionLog } from '#local/functions/log.ts';

const directory = mkdtempSync(join(tmpdir(), 'function-log-'));
const path = join(directory, 'logs', 'Chat.log');

afterEach(() => rmSync(join(directory, 'logs'), { recursive: true }));

function open() {
  const lines: string[] = [];
  return { lines, log: openFunctionLog(path, (line) => lines.push(line)) };
}

it('reports each complete line that is written while the log is open, exactly once', async () => {
  const first = open();
  first.log.append('before');
  first.log.close();
  const { log, lines } = open();
  const long = 'é'.repeat(100_000);
  appendFileSync(path, `${long}\nha`);
  await expect.poll(() => lines).toEqual([long]);
  appendFileSync(path, 'lf\n');
  log.close();

  expect(first.lines).toEqual(['before']);
  expect(lines).toEqual([long, 'half']);
  expect(readFileSync(path, 'utf8')).toBe(`before\n${long}\nhalf\n`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('rotates a log file larger than 64 MiB at the start and replaces the previously rotated file', () => {
  const previous = join(directory, 'logs', 'Chat.previous.log');
  open().log.close();
  truncateSync(path, 64 * 1024 * 1024);
  open().log.close();
  const wasKept = !existsSync(previous);
  appendFileSync(path, '\n');
  writeFileSync(previous, 'older');
  open().log.close();

  expect(wasKept).toBe(true);
  expect(statSync(previous).size).toBe(64 * 1024 * 1024 + 1);
  expect(statSync(path).size).toBe(0);
});
