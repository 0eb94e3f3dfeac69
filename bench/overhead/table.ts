/** Formats the table of `npm run bench`: each figure of the gateway, its target, and the other implementations' figures. */
import { markdownTable, percentile } from '../harness/figures.ts';
import { competitorName } from './competitor.ts';
import type { ImplementationName, Results, Timings } from './implementations.ts';
import { type Figures, figuresOf, type Overheads } from './measure.ts';

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

export function overheadTable(overheads: Overheads): string {
  const { sequential, oneStream, sixteenStreams, saturated } = overheads;
  const cpu = figuresOf(saturated, (name) => saturated[name]?.cpuMicros ?? Number.NaN);
  const withStore = { ...cpu, gateway: cpu.gatewayWithStore };
  return markdownTable('Overhead, compared with calling the provider directly', headings, [
    ...differenceRows('Added latency, sequential, ms', sequential, 'total', [0.25, 0.6]),
    ...differenceRows('Added time to first token, ms', oneStream, 'firstByte', [0.5, 0.9]),
    ...differenceRows('Added time to first token with 16 streams, ms', sixteenStreams, 'firstByte', [2, 5]),
    comparisonRow('CPU per request, µs', cpu, { max: 130, digits: 0 }),
    comparisonRow('CPU per request with log writes over HTTP, µs', withStore, { digits: 0 }),
    comparisonRow('CPU per chunk, 5 ms apart, µs', overheads.spacedChunkMicros, { max: 30, digits: 1 }),
    requestsPerCore(cpu),
    comparisonRow('Idle memory (RSS), MB', inMegabytes(overheads.idleBytes), { max: 65, digits: 0 }),
    comparisonRow('Peak memory with 64 streams (RSS), MB', inMegabytes(overheads.peakBytes), {
      max: 140,
      digits: 0,
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
  const { max, digits } = format;
  const target = max === undefined ? '' : `≤ ${max}`;
  const met = max === undefined ? '' : yesOrNo(gateway <= max);
  const formatFigure = (figure: number | undefined) => figure?.toFixed(digits) ?? '';
  return [
    metric,
    target,
    gateway.toFixed(digits),
    met,
    formatFigure(baseline),
    formatFigure(competitor),
    formatRatio(competitor, gateway),
  ];
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

function formatRatio(competitor: number | undefined, gateway: number): string {
  return competitor === undefined ? '' : `${(competitor / gateway).toFixed(1)} ×`;
}

function yesOrNo(isMet: boolean): string {
  return isMet ? 'yes' : 'no';
}

function inMegabytes(figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, bytes]) => [name, bytes / 1e6]));
}
