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
  // Those of processes that would be gone.
  for (const file of opened.splice(0)) await file.suspend().catch(() => {});
  await rm(folder, { recursive: true });
});

const opened: ExportSink<string>[] = [];

async function openFile({ task = 'one', overwrite = false } = {}): Promise<ExportSink<string>> {
  const file = await openPartialFile({
    path,
    task,
    progress: z.string(),
    overwrite,
    nowMs: () => nowMs,
  });
  opened.push(file);
  return file;
}

const content = (file = path) => readFile(file, 'utf8');

async function changeMark(fields: object): Promise<void> {
  const mark = JSON.parse(await content(`${path}.partial.json`));
  await writeFile(`${path}.partial.json`, JSON.stringify({ ...mark, ...fields }));
}

/** Another process was writing, and is gone: no process has the highest number that Linux can give. */
const makeForeign = () => changeMark({ pid: 4_194_304 });

describe('a file that is not complete', () => {
  it('has another name, until all of it is there', async () => {
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

  it('is gone on with behind what was kept of it', async () => {
    const first = await openFile();
    await first.write('a\n');
    await first.checkpoint('a');
    await first.write('half a li');
    await first.suspend();
    await makeForeign();
    const second = await openFile();
    await second.write('b\n');
    await second.finish();

    expect([first.resumed, second.resumed]).toEqual([null, 'a']);
    expect(await content()).toBe('a\nb\n');
  });

  it('is kept every two seconds, for a process that is killed', async () => {
    const killed = await openFile();
    await killed.write('a\n');
    await killed.checkpoint('a');
    nowMs = 2000;
    await killed.write('b\n');
    await killed.checkpoint('b');
    nowMs = 3999;
    await killed.write('c\n');
    await killed.checkpoint('c');
    await makeForeign();

    const second = await openFile();
    await second.write('c again\n');
    await second.finish();

    expect(second.resumed).toBe('b');
    expect(await content()).toBe('a\nb\nc again\n');
  });

  it.each([
    ['what was kept is damaged', () => writeFile(`${path}.partial.json`, '{"task":"one"')],
    ['what was kept is not of this version', () => changeMark({ progress: { after: 'a' } })],
    ['it is shorter than what was kept', () => writeFile(`${path}.partial`, '')],
    ['it is not there', () => rm(`${path}.partial`)],
  ])('is begun again when %s', async (_, damage) => {
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

  it('is begun again when nothing of it was kept', async () => {
    const killed = await openFile();
    await killed.write('a\n');
    await killed.checkpoint('a');
    await makeForeign();
    const second = await openFile();
    await second.finish();

    expect(second.resumed).toBe(null);
    expect(await content()).toBe('');
  });

  it('is begun again for another task', async () => {
    const first = await openFile();
    await first.write('a\n');
    await first.checkpoint('a');
    await first.suspend();
    const second = await openFile({ task: 'another' });
    await second.finish();

    expect(second.resumed).toBe(null);
    expect(await content()).toBe('');
  });

  it('is left to the process that is writing it', async () => {
    const first = await openFile();
    await first.suspend();
    const mark = JSON.parse(await content(`${path}.partial.json`));
    await writeFile(`${path}.partial.json`, JSON.stringify({ ...mark, pid: process.ppid }));

    await expect(openFile()).rejects.toThrow(
      `Process ${process.ppid} is writing ${path}.partial: wait for it, or delete that file if the process is another by now`,
    );
  });

  it('is that of the process that goes on with it, for as long as that takes', async () => {
    const first = await openFile();
    await first.checkpoint('a');
    await first.suspend();
    await makeForeign();

    const second = await openFile();
    nowMs = 2000;
    await second.checkpoint('b');

    expect(JSON.parse(await content(`${path}.partial.json`))).toMatchObject({
      pid: process.pid,
      progress: 'b',
    });
  });

  it('does not get its name when something else was written to it', async () => {
    const file = await openFile();
    await file.write('a\n');
    await appendFile(`${path}.partial`, 'b\n');

    await expect(file.finish()).rejects.toThrow(
      `${path}.partial was changed by another process: run this again, to start anew`,
    );
    expect(await readdir(folder)).toEqual(['logs.ndjson.partial']);
  });
});

describe('a name that is taken', () => {
  it('is refused, and given away when that is wanted', async () => {
    await writeFile(path, 'the former one');

    await expect(openFile()).rejects.toMatchObject({
      message: `--output: there is a file ${path} already: --force replaces it`,
      exitCode: 2,
    });
    const file = await openFile({ overwrite: true });
    await file.write('a\n');
    expect(await content()).toBe('the former one');
    await file.finish();
    expect(await content()).toBe('a\n');
  });

  it.each([
    ['a folder', () => folder],
    ['a device', () => '/dev/null'],
  ])('is refused when it is %s, which no file replaces', async (_, name) => {
    path = name();

    await expect(openFile({ overwrite: true })).rejects.toMatchObject({
      message: `--output: ${path} is not a file`,
      exitCode: 2,
    });
  });

  it.each([
    ['in no folder', 'missing/logs.ndjson', 'ENOENT'],
    ['in a file', 'file/logs.ndjson', 'ENOTDIR'],
    ['too long', 'x'.repeat(300), 'ENAMETOOLONG'],
    ['beside a folder with the name of its part', 'taken', 'EISDIR'],
  ])('is refused when it is %s', async (_, name, code) => {
    await writeFile(join(folder, 'file'), '');
    await mkdir(join(folder, 'taken.partial'));
    path = join(folder, name);

    await expect(openFile()).rejects.toMatchObject({
      message: expect.stringContaining(`--output: ${code}`),
      exitCode: 2,
    });
  });
});
