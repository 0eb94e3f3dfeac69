import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readUntil, runDemoData } from '#local/demo-data/command.ts';

const now = new Date('2026-11-23T17:05:00Z');
const dataDirectory = mkdtempSync(join(tmpdir(), 'demo-data-'));
afterAll(() => rmSync(dataDirectory, { recursive: true }));

async function run(...argumentList: string[]): Promise<string> {
  let output = '';
  await runDemoData({
    arguments: argumentList,
    dataDirectory,
    now: () => now,
    print: (text) => {
      output += text;
    },
    onProgress: () => {},
  });
  return output;
}

describe('readUntil', () => {
  it('returns the end of the day, or the present', () => {
    expect(readUntil(undefined, now)).toEqual(now);
    expect(readUntil('2026-11-23', now)).toEqual(now);
    expect(readUntil('2026-11-22', now)).toEqual(new Date('2026-11-23T00:00:00Z'));
  });
});

describe('runDemoData', () => {
  it.each(['2026-02-30', 'yesterday', '2026-1-1', ''])('rejects "%s", which is no date', async (text) => {
    await expect(run('--until', text)).rejects.toThrow(
      `--until must be a date such as 2026-11-23, not "${text}"`,
    );
  });

  it('rejects a date in the future', async () => {
    await expect(run('--until', '2026-11-24')).rejects.toThrow(
      '--until must not be in the future: it is 2026-11-23 (UTC), not yet 2026-11-24',
    );
  });

  it('rejects an unknown option', async () => {
    await expect(run('--from', '2026-11-01')).rejects.toThrow(/'--from'.*: see --help$/);
  });

  it('explains its options', async () => {
    expect(await run('--help')).toContain('--until DATE');
  });

  it('says how to start a gateway when none is running', async () => {
    await expect(run()).rejects.toThrow(
      `No local gateway is running on ${dataDirectory}. Start it with "npm start" in another terminal, then run "npm run demo-data" again.`,
    );
  });

  it('says that the gateway does not respond when it was killed', async () => {
    const connection = { pid: 1, dynamodb_endpoint: 'http://127.0.0.1:1' };
    writeFileSync(join(dataDirectory, 'local.json'), JSON.stringify(connection));

    await expect(run()).rejects.toThrow('The local gateway does not respond at http://127.0.0.1:1. Start it');
  });
});
