/**
 * What a cold start of the chat function costs before its first request, bundled in one way or another:
 * `npm run bench:start-up`.
 *
 * Each figure is of 21 fresh processes (or as many as the argument says), the variants in turn: the middle one, and for
 * time also the one that nine of ten do not exceed. Prints tables on standard output; takes two minutes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markdownTable } from './shared/markdown-table.ts';
import { percentile } from './shared/percentile.ts';
import { type ColdStart, ownCode } from './start-up/cold-start.ts';
import { fillCompileCache, sizeOf } from './start-up/compile-cache.ts';
import type { ImportCost } from './start-up/import-process.ts';
import { buildStarter, measureInTurn } from './start-up/measure.ts';
import { buildFloors, buildVariants, type Variant } from './start-up/variants.ts';

const rounds = Number(process.argv[2] ?? 21);
const directory = mkdtempSync(join(tmpdir(), 'bench-start-up-'));
try {
  const { variants, deployed } = buildVariants(directory);
  const all = [...buildFloors(directory, deployed.nodeModules), ...variants];
  console.log(startsTable(all));
  console.log(contentsTable(deployed));
} finally {
  rmSync(directory, { recursive: true });
}

function startsTable(variants: Variant[]): string {
  const start = buildStarter(directory);
  const starts = variants.flatMap(({ file }) => [
    { file, inLambda: false, compileCache: null },
    { file, inLambda: true, compileCache: null },
    { file, inLambda: true, compileCache: fillCompileCache(start, file) },
  ]);
  const costs = measureInTurn(start, starts, rounds);
  const rows = variants.map((variant, index) => {
    const [alone = [], inLambda = [], cached = []] = costs.slice(3 * index, 3 * index + 3);
    return [
      variant.name,
      variant.readBytes / 1000,
      variant.readFiles,
      variant.wholeBytes / 1000,
      ...times(alone),
      percentile(of(alone, 'cpuMs'), 0.5),
      percentile(of(alone, 'rssMb'), 0.5),
      ...times(inLambda),
      ...times(cached),
      sizeOf(join(variant.file, '..', '.compile-cache')) / 1000,
    ];
  });
  const headings = [
    'Bundle',
    'kB read',
    'Files',
    'kB whole',
    ...['Import, ms', 'p90'],
    'CPU, ms',
    'RSS, MB',
    ...['With the runtime, ms', 'p90'],
    ...['And a compile cache, ms', 'p90'],
    'kB cache',
  ];
  return markdownTable('Import until the handler is there', headings, rows);
}

function times(costs: ImportCost[]): number[] {
  return [0.5, 0.9].map((share) => percentile(of(costs, 'ms'), share));
}

function of(costs: ImportCost[], field: keyof ImportCost): number[] {
  return costs.map((cost) => cost[field]);
}

function contentsTable({ bytesByPackage }: ColdStart): string {
  const rows = bytesByPackage.map(([name, bytes]) => [
    name === ownCode ? 'the gateway itself' : name,
    bytes / 1000,
  ]);
  return markdownTable('What a cold start reads', ['Package', 'kB'], rows);
}
