import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ExportSink, openPartialFile } from '#cli/logs/export/partial-file.ts';

let folder: string;
let path: string;
let nowMs: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-export-'));
  path = join(folder, 'logs.ndjson');
  nowMs = 0;
});

afterEach(async () => {
  // Tests that simulate a killed process leave their file open.
  for (const file of opened.splice(0)) await file.suspend().catch(() => {});
  await rm(folder, { recursive: true });
});

const opened: ExportSink<string>[] = [];

async function openFile({ task = 'one', overwrite = false } = {}): Promise<ExportSink<string>> {
  const file = await openPartialFile({
    path,
    task,
    progressSchema: z.string(),
    overwrite,
    nowMs: () => nowMs,
  });
  opened.push(file);
  return file;
}

const content = (file = path) => readFile(file, 'utf8');

async function changeCheckpoint(fields: object): Promise<void> {
  const checkpoint = JSON.parse(await content(`${path}.partial.json`));
  await writeFile(`${path}.partial.json`, JSON.stringify({ ...checkpoint, ...fields }));
}

/** Attributes the checkpoint to a process that has ended: Linux assigns ids below this number. */
const simulateEndedProcess = () => changeCheckpoint({ pid: 4_194_304 });

describe('openPartialFile', () => {
  it('writes to FILE.partial and renames the file when it is complete', async () => {
    const file = await openFile();
    await file.write('a\n');
    const meanwhile = await readdir(folder);
    await file.write('ß\n');
    await file.finish();

    expect(meanwhile).toEqual(['logs.ndjson.partial', 'logs.ndjson.partial.json']);
    expect(await readdir(folder)).toEqual(['logs.ndjson']);
    expect(await content()).toBe('a\nß\n');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('continues after the last checkpoint of an earlier run', async () => {
    const first = await openFile();
    await first.write('a\n');
    await first.checkpoint('a');
    await first.write('half a li');
    await first.suspend();
    await simulateEndedProcess();
    const second = await openFile();
    await second.write('b\n');
    await second.finish();

    expect([first.resumed, second.resumed]).toEqual([null, 'a']);
    expect(await content()).toBe('a\nb\n');
  });

  it('saves the checkpoint every two seconds for the case that the process is killed', async () => {
    const killed = await openFile();
    await killed.write('a\n');
    await killed.checkpoint('a');
    nowMs = 2000;
    await killed.write('b\n');
    await killed.checkpoint('b');
    nowMs = 3999;
    await killed.write('c\n');
    await killed.checkpoint('c');
    await simulateEndedProcess();

    const second = await openFile();
    await second.write('c again\n');
    await second.finish();

    expect(second.resumed).toBe('b');
    expect(await content()).toBe('a\nb\nc again\n');
  });

  it.each([
    ['the checkpoint is not JSON', () => writeFile(`${path}.partial.json`, '{"task":"one"')],
    ['the checkpoint has a different schema', () => changeCheckpoint({ progress: { after: 'a' } })],
    ['the file is shorter than its checkpoint', () => writeFile(`${path}.partial`, '')],
    ['the file is missing', () => rm(`${path}.partial`)],
  ])('starts over when %s', async (_, damage) => {
    const first = await openFile();
    await first.write('a\n');
    await first.checkpoint('a');
    await first.suspend();
    await damage();
    const second = await openFile();
    await second.write('b\n');
    await second.finish();

    expect(second.resumed).toBe(null);
    expect(await content()).toBe('b\n');
  });

  it('starts over when an earlier run saved no progress', async () => {
    const killed = await openFile();
    await killed.write('a\n');
    await killed.checkpoint('a');
    await simulateEndedProcess();
    const second = await openFile();
    await second.finish();

    expect(second.resumed).toBe(null);
    expect(await content()).toBe('');
  });

  it('starts over for a different task', async () => {
    const first = await openFile();
    await first.write('a\n');
    await first.checkpoint('a');
    await first.suspend();
    const second = await openFile({ task: 'another' });
    await second.finish();

    expect(second.resumed).toBe(null);
    expect(await content()).toBe('');
  });

  it('throws when another process is writing the file', async () => {
    const first = await openFile();
    await first.suspend();
    await changeCheckpoint({ pid: process.ppid });

    await expect(openFile()).rejects.toThrow(
      `Process ${process.ppid} is writing ${path}.partial: wait for it to finish, or delete the file if that process is not an export`,
    );
  });

  it('stores the id of the continuing process in the checkpoint', async () => {
    const first = await openFile();
    await first.checkpoint('a');
    await first.suspend();
    await simulateEndedProcess();

    const second = await openFile();
    nowMs = 2000;
    await second.checkpoint('b');

    expect(JSON.parse(await content(`${path}.partial.json`))).toMatchObject({
      pid: process.pid,
      progress: 'b',
    });
  });

  it('throws instead of renaming a file to which another process has written', async () => {
    const file = await openFile();
    await file.write('a\n');
    await appendFile(`${path}.partial`, 'b\n');

    await expect(file.finish()).rejects.toThrow(
      `${path}.partial was changed by another process: run this command again to start over`,
    );
    expect(await readdir(folder)).toEqual(['logs.ndjson.partial']);
  });
});

describe('openPartialFile with an unusable path', () => {
  it('rejects an existing file unless it may be replaced', async () => {
    await writeFile(path, 'previous content');

    await expect(openFile()).rejects.toMatchObject({
      message: `--output: ${path} already exists: replace it with --force`,
      exitCode: 2,
    });
    const file = await openFile({ overwrite: true });
    await file.write('a\n');
    expect(await content()).toBe('previous content');
    await file.finish();
    expect(await content()).toBe('a\n');
  });

  it.each([
    ['a directory', () => folder],
    ['a device', () => '/dev/null'],
  ])('rejects %s even when it may be replaced', async (_, name) => {
    path = name();

    await expect(openFile({ overwrite: true })).rejects.toMatchObject({
      message: `--output: ${path} is not a regular file`,
      exitCode: 2,
    });
  });

  it.each([
    ['in a missing directory', 'missing/logs.ndjson', 'ENOENT'],
    ['below a file', 'file/logs.ndjson', 'ENOTDIR'],
    ['with a name that is too long', 'x'.repeat(300), 'ENAMETOOLONG'],
    ['whose partial file is a directory', 'taken', 'EISDIR'],
  ])('rejects a path %s', async (_, name, code) => {
    await writeFile(join(folder, 'file'), '');
    await mkdir(join(folder, 'taken.partial'));
    path = join(folder, name);

    await expect(openFile()).rejects.toMatchObject({
      message: expect.stringContaining(`--output: ${code}`),
      exitCode: 2,
    });
  });
});
