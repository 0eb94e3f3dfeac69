/** Formats the table of `npm run bench`: each figure of the gateway, its target, and the other implementations' figures. */
import { markdownTable, percentile } from '../harness/figures.ts';
import { competitorName } from './competitor.ts';
import type { ImplementationName, Results, Timings } from './implementations.ts';
import { type Figures, figuresOf, type Overheads } from './measure.ts';

/** Figures without a counterpart in the other implementations. */
interface GatewayFigures {
  coldStartBytes: number;
  totalBytes: number;
  importMs: number;
  importInLambdaMs: number;
  importCachedMs: number;
  usdPerMillion: number;
}

type Row = [
  metric: string,
  target: string,
  gateway: string,
  met: string,
  baseline: string,
  competitor: string,
  ratio: string,
];

const headings = [
  '',
  'Target',
  'This gateway',
  'Met',
  'Baseline',
  competitorName,
  `${competitorName} ÷ gateway`,
];
const minRatio = 4.2;

export function overheadTable(overheads: Overheads, gatewayFigures: GatewayFigures): string {
  const { sequential, oneStream, sixteenStreams, saturated, awsCalls, priceReads } = overheads;
  const cpu = figuresOf(saturated, (name) => saturated[name]?.cpuMicros ?? Number.NaN);
  const withStore = { ...cpu, gateway: cpu.gatewayWithStore };
  return markdownTable('Overhead, compared with calling the provider directly', headings, [
    ...differenceRows('Added latency, sequential, ms', sequential, 'total', [0.25, 0.6]),
    ...differenceRows('Added time to first token, ms', oneStream, 'firstByte', [0.5, 0.9]),
    ...differenceRows('Added time to first token with 16 streams, ms', sixteenStreams, 'firstByte', [2, 5]),
    comparisonRow('CPU per request, µs', cpu, { max: 130, digits: 0 }),
    comparisonRow('CPU per request with log writes over HTTP, µs', withStore, { digits: 0 }),
    comparisonRow('CPU per chunk, 5 ms apart, µs', overheads.spacedChunkMicros, { max: 30, digits: 1 }),
    comparisonRow('CPU per chunk, without a gap, µs', overheads.fastChunkMicros, { max: 30, digits: 1 }),
    requestsPerCore(cpu),
    comparisonRow('Idle memory (RSS), MB', inMegabytes(overheads.idleBytes), { max: 65, digits: 0 }),
    comparisonRow('Peak memory with 64 streams (RSS), MB', inMegabytes(overheads.peakBytes), {
      max: 140,
      digits: 0,
    }),
    targetRow('Bundle size read by a cold start, kB', gatewayFigures.coldStartBytes / 1000, {
      max: 420,
      digits: 0,
    }),
    targetRow('Bundle size in total, kB', gatewayFigures.totalBytes / 1000, { digits: 0 }),
    targetRow('Import of the bundle, ms', gatewayFigures.importMs, { max: 50, digits: 1 }),
    targetRow("Import after loading Lambda's runtime, ms", gatewayFigures.importInLambdaMs, {
      max: 50,
      digits: 1,
    }),
    targetRow('Import with a read-only compile cache, ms', gatewayFigures.importCachedMs, {
      max: 20,
      digits: 1,
    }),
    awsCallsRow(awsCalls),
    priceReadsRow(priceReads),
    targetRow('A million chats of 5 s at 128 MB, 100 a second, $', gatewayFigures.usdPerMillion, {
      max: 10,
      digits: 2,
    }),
  ]);
}

/** Differences between the percentiles of an implementation and those of direct calls. */
function differenceRows(
  metric: string,
  results: Results,
  timing: keyof Timings,
  targets: [p50: number, p99: number],
): Row[] {
  return [0.5, 0.99].map((share, index) => {
    const at = (name: ImplementationName) => percentile(results[name]?.timings[timing] ?? [], share);
    const figures = figuresOf(results, (name) => at(name) - at('direct'));
    return comparisonRow(`${metric}, p${share * 100}`, figures, { max: targets[index], digits: 2 });
  });
}

interface Format {
  max?: number;
  digits: number;
}

function comparisonRow(
  metric: string,
  { gateway = Number.NaN, baseline, competitor }: Figures,
  format: Format,
): Row {
  const [, target, value, met] = targetRow(metric, gateway, format);
  const formatFigure = (figure: number | undefined) => figure?.toFixed(format.digits) ?? '';
  return [
    metric,
    target,
    value,
    met,
    formatFigure(baseline),
    formatFigure(competitor),
    formatRatio(competitor, gateway),
  ];
}

function targetRow(metric: string, value: number, { max, digits }: Format): Row {
  const target = max === undefined ? '' : `≤ ${max}`;
  const met = max === undefined ? '' : yesOrNo(value <= max);
  return [metric, target, value.toFixed(digits), met, '', '', ''];
}

function requestsPerCore({ gateway = Number.NaN, baseline, competitor }: Figures): Row {
  const perSecond = (micros: number | undefined) => (micros === undefined ? '' : (1e6 / micros).toFixed(0));
  return [
    'Requests per second and core',
    `≥ ${minRatio} × the competitor`,
    perSecond(gateway),
    competitor === undefined ? '' : yesOrNo(competitor / gateway >= minRatio),
    perSecond(baseline),
    perSecond(competitor),
    formatRatio(competitor, gateway),
  ];
}

function awsCallsRow({ warm, cold }: Overheads['awsCalls']): Row {
  const met = yesOrNo(warm === 0 && cold === 2);
  return ['AWS calls before the provider call, warm / cold', '0 / 2', `${warm} / ${cold}`, met, '', '', ''];
}

/** One for the requested name of the model, and one for the name in the response. */
function priceReadsRow({ first, later }: Overheads['priceReads']): Row {
  const met = yesOrNo(first <= 2 && later === 0);
  return [
    'Reads of custom prices after the provider call, first request / 1,000 more in a minute',
    '≤ 2 / 0',
    `${first} / ${later}`,
    met,
    '',
    '',
    '',
  ];
}

function formatRatio(competitor: number | undefined, gateway: number): string {
  return competitor === undefined ? '' : `${(competitor / gateway).toFixed(1)} ×`;
}

function yesOrNo(isMet: boolean): string {
  return isMet ? 'yes' : 'no';
}

function inMegabytes(figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, bytes]) => [name, bytes / 1e6]));
}
