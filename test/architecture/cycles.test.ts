/** Checks that no files import each other, not even types: each can be read and moved without the other. */
import { describe, expect, it } from 'vitest';
import { importsOf, sourceFilesIn } from '#test/support/source/modules.ts';

/** Returns a path through the imports for each cycle. It begins and ends with the file that is first in the alphabet. */
function cyclesOf(files: string[], importedBy: (file: string) => string[]): string[] {
  const cycles: string[] = [];
  const known = new Set(files);
  const done = new Set<string>();
  const visit = (file: string, trail: string[]) => {
    if (done.has(file)) return;
    const start = trail.indexOf(file);
    if (start !== -1) {
      cycles.push(pathThrough(trail.slice(start)));
      return;
    }
    for (const imported of new Set(importedBy(file))) {
      if (known.has(imported)) visit(imported, [...trail, file]);
    }
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return cycles;
}

function pathThrough(cycle: string[]): string {
  const first = cycle.indexOf(cycle.toSorted()[0] ?? '');
  return [...cycle.slice(first), ...cycle.slice(0, first + 1)].join(' → ');
}

describe('cyclesOf', () => {
  it('reports each cycle once, with the files in between', () => {
    const imports: Record<string, string[]> = {
      a: ['b'],
      b: ['c', 'package'],
      c: ['b'],
      d: ['a', 'e'],
      e: ['d'],
    };
    expect(cyclesOf(Object.keys(imports), (file) => imports[file] ?? [])).toEqual(['b → c → b', 'd → e → d']);
  });
});

describe('Imports', () => {
  it('form no cycle', () => {
    const files = sourceFilesIn(
      ...['bench', 'bin', 'cli', 'dashboard', 'lambdas', 'lib', 'local', 'test/support'],
    );
    expect(files.length).toBeGreaterThan(1000);
    expect(cyclesOf(files, importsOf)).toEqual([]);
  });
});
