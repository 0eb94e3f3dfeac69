/**
 * What a cold start of the chat function costs before its first request, bundled in one way or another:
 * `npm run bench:start-up`.
 *
 * Every figure is the median of 21 fresh processes, or as many as the argument says; for times the 90th percentile stands
 * beside it. Prints two tables; takes two minutes.
 */
import { markdownTable, median, percentile } from './harness/figures.ts';
import { buildBundles, ownCode } from './start-up/bundles.ts';
import type { ImportCost } from './start-up/import-process.ts';
import { measureStarts, type StartCosts } from './start-up/starts.ts';

const rounds = Number(process.argv[2] ?? 21);
const { bundles, deployed } = buildBundles();

console.log(
  markdownTable(
    'Import until the handler is there',
    [
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
    ],
    measureStarts(bundles, rounds).map(rowOf),
  ),
);
console.log(
  markdownTable(
    'What a cold start reads',
    ['Package', 'kB'],
    deployed.bytesByPackage.map(([name, bytes]) => [
      name === ownCode ? 'the gateway itself' : name,
      bytes / 1000,
    ]),
  ),
);

function rowOf({ bundle, alone, inLambda, cached, cacheBytes }: StartCosts): (string | number)[] {
  return [
    bundle.name,
    bundle.readBytes / 1000,
    bundle.readFiles,
    bundle.wholeBytes / 1000,
    ...timesOf(alone),
    median(alone.map(({ cpuMs }) => cpuMs)),
    median(alone.map(({ rssMb }) => rssMb)),
    ...timesOf(inLambda),
    ...timesOf(cached),
    cacheBytes / 1000,
  ];
}

function timesOf(costs: readonly ImportCost[]): number[] {
  const times = costs.map(({ ms }) => ms);
  return [median(times), percentile(times, 0.9)];
}
