import { describe, expect, it } from 'vitest';
import { footprintOf, metadataOf, rollupRows } from '#bench/cost/chat-footprint.ts';
import { bytesOf, platformLines, printedLine } from '#bench/cost/log-lines.ts';
import { readLogLine } from '#cli/logs/recover/log-line.ts';

describe('what a chat takes', () => {
  it('grows by an index and a bit of each line with each header', () => {
    const none = footprintOf('no header');
    const all = footprintOf('three headers');

    expect([none.entryWriteUnits, none.entryCopies]).toEqual([3, 3]);
    expect([all.entryWriteUnits, all.entryCopies]).toEqual([6, 6]);
    // `,\"prompt_id\":\"…\"` and so on: three ids of 36 bytes, their names, and the escaped quotes around both.
    expect(all.logBytes - none.logBytes).toBe(3 * (36 + 10) + 'prompt_idsession_iduser_id'.length);
    expect(all.platformLogBytes).toBe(none.platformLogBytes);
  });

  it('includes a line that `logs recover` can read', () => {
    expect(readLogLine(printedLine(metadataOf['no header']))).toMatchObject({
      kind: 'forwarded',
      entry: { outcome: 'interrupted', model: 'gpt-4o' },
    });
  });

  it("includes Lambda's two lines", () => {
    expect(platformLines.map((line) => JSON.parse(line).type)).toEqual(['platform.start', 'platform.report']);
    expect(bytesOf(['abc', 'ë'])).toBe(5);
  });
});

describe('the rows of sums that a batch writes', () => {
  const mix = { models: 12, keys: 2, metadata: 'no header' } as const;

  it.each([
    ['alone: four of its model and three of its key', 1, mix, 7],
    ['with three headers, three more for each', 1, { ...mix, metadata: 'three headers' }, 16],
    ['a few, all different', 10, mix, 70],
    ['many: four for each model and three for each pair', 100, mix, 12 * 4 + 24 * 3],
    ['many of one kind', 100, { ...mix, models: 1, keys: 1 }, 7],
  ] as const)('%s', (_, batch, of, rows) => {
    expect(rollupRows(batch, of)).toBe(rows);
  });
});
