/**
 * Compares how the chat function's bundling options affect its cold start, up to the first request:
 * `npm run bench:start-up`.
 *
 * Every figure is the median of 21 new processes, or of the number in the argument; times also have a 90th percentile.
 * Prints two tables; takes two minutes.
 */
import { markdownTable, median, percentile } from './harness/figures.ts';
import { buildBundles, gatewayCode } from './start-up/bundles.ts';
import type { ImportCost } from './start-up/import-process.ts';
import { measureStarts, type StartCosts } from './start-up/starts.ts';

const rounds = Number(process.argv[2] ?? 21);
const { bundles, deployed } = buildBundles();

console.log(
  markdownTable(
    'Import of the bundle',
    [
      'Bundle',
      'Cold start, kB',
      'Cold start, files',
      'Total, kB',
      'Import, ms',
      'p90',
      'CPU, ms',
      'RSS, MB',
      'After loading the runtime, ms',
      'p90',
      'With a compile cache, ms',
      'p90',
      'Cache, kB',
    ],
    measureStarts(bundles, rounds).map(toRow),
  ),
);
console.log(
  markdownTable(
    'Code read by a cold start',
    ['Package', 'kB'],
    deployed.bytesByPackage.map(([name, bytes]) => [
      name === gatewayCode ? 'the gateway' : name,
      bytes / 1000,
    ]),
  ),
);

function toRow({ bundle, alone, inLambda, cached, cacheBytes }: StartCosts): (string | number)[] {
  return [
    bundle.name,
    bundle.coldStartBytes / 1000,
    bundle.coldStartFiles,
    bundle.totalBytes / 1000,
    ...summarizeTimes(alone),
    median(alone.map(({ cpuMs }) => cpuMs)),
    median(alone.map(({ rssMb }) => rssMb)),
    ...summarizeTimes(inLambda),
    ...summarizeTimes(cached),
    cacheBytes / 1000,
  ];
}

function summarizeTimes(costs: readonly ImportCost[]): number[] {
  const times = costs.map(({ ms }) => ms);
  return [median(times), percentile(times, 0.9)];
}
