import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { download, fileNameOf, saveFile } from '#dashboard/api/download.ts';

/** The calls of the browser, in order. */
let log: string[];
let saved: Blob[];
beforeEach(() => {
  [log, saved] = [[], []];
  vi.useFakeTimers();
  vi.spyOn(URL, 'createObjectURL').mockImplementation((content) => {
    saved.push(content as Blob);
    return `blob:${saved.length}`;
  });
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => void log.push(`revoke ${url}`));
  vi.stubGlobal('document', {
    createElement: (tag: string) => ({
      href: '',
      download: '',
      click() {
        log.push(`${tag} ${this.href} as ${this.download}`);
      },
    }),
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('A file', () => {
  it('is saved under its name, and kept for a minute while the browser reads it', () => {
    const content = new Blob(['a,b']);
    saveFile(content, 'usage.csv');

    expect(saved).toEqual([content]);
    vi.advanceTimersByTime(59_999);
    expect(log).toEqual(['a blob:1 as usage.csv']);
    vi.advanceTimersByTime(1);
    expect(log).toEqual(['a blob:1 as usage.csv', 'revoke blob:1']);
  });

  it('of the API is saved under the name that the API gives it', async () => {
    const headers = { 'content-disposition': 'attachment; filename="statement-2026-11.csv"' };
    vi.stubGlobal('fetch', async () => new Response('month,cost', { headers }));
    await download('/analytics/org_1/statements/2026-11');

    expect(log).toEqual(['a blob:1 as statement-2026-11.csv']);
    expect(await saved[0]?.text()).toBe('month,cost');
  });

  it.each([
    ['attachment; filename="statement-2026-11.csv"', 'statement-2026-11.csv'],
    ['attachment;filename="a b.csv"; size=3', 'a b.csv'],
    ['attachment; filename=""', 'download'],
    ['attachment', 'download'],
    [null, 'download'],
  ])('with the header %s is called %s', (header, name) => {
    expect(fileNameOf(header)).toBe(name);
  });
});
