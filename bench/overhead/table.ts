/** The table of `npm run bench`: each figure beside its target and those of the other implementations. */
import { markdownTable, percentile } from '../harness/figures.ts';
import { competitorName } from './competitor.ts';
import type { ImplementationName, Results, Timings } from './implementations.ts';
import { type Figures, figuresOf, type Overheads } from './measure.ts';

/** Figures that concern the gateway alone. */
export interface GatewayFigures {
  readBytes: number;
  wholeBytes: number;
  importMs: number;
  importInLambdaMs: number;
  importCachedMs: number;
  millionUsd: number;
}

type Row = [
  what: string,
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
const leastRatio = 4.2;

export function overheadTable(overheads: Overheads, own: GatewayFigures): string {
  const { oneAtATime, oneStream, sixteenStreams, busy, awsCalls } = overheads;
  const cpu = figuresOf(busy, (name) => busy[name]?.cpuMicros ?? Number.NaN);
  const withStore = { ...cpu, gateway: cpu.gatewayWithStore };
  return markdownTable('The gateway, against calling the provider directly', headings, [
    ...added('Added latency, one at a time, ms', oneAtATime, 'total', [0.25, 0.6]),
    ...added('Added time to first token, ms', oneStream, 'firstByte', [0.5, 0.9]),
    ...added('the same at 16 streams, 5 ms between chunks', sixteenStreams, 'firstByte', [2, 5]),
    compared('CPU of a request, µs', cpu, { max: 130, digits: 0 }),
    compared("and with the log write's own HTTP", withStore, { digits: 0 }),
    compared('CPU of a chunk, 5 ms apart, µs', overheads.spacedChunkMicros, { max: 30, digits: 1 }),
    compared('CPU of a chunk, as fast as they come, µs', overheads.fastChunkMicros, { max: 30, digits: 1 }),
    requestsPerCore(cpu),
    compared('Resident memory idle, MB', inMegabytes(overheads.idleBytes), { max: 65, digits: 0 }),
    compared('with 64 streams', inMegabytes(overheads.peakBytes), { max: 140, digits: 0 }),
    bounded('Chat bundle that a cold start reads, kB', own.readBytes / 1000, { max: 420, digits: 0 }),
    bounded('and all of it', own.wholeBytes / 1000, { digits: 0 }),
    bounded('Its import until ready, alone, ms', own.importMs, { max: 50, digits: 1 }),
    bounded("with Lambda's runtime loaded before", own.importInLambdaMs, { max: 50, digits: 1 }),
    bounded('and with a read-only compile cache', own.importCachedMs, { max: 20, digits: 1 }),
    awsCallsRow(awsCalls),
    bounded('A million chats of 5 s at 128 MB, 100 a second, $', own.millionUsd, { max: 10, digits: 2 }),
  ]);
}

/** The percentiles of an implementation, less those of the direct calls. */
function added(
  what: string,
  results: Results,
  timing: keyof Timings,
  targets: [p50: number, p99: number],
): Row[] {
  return [0.5, 0.99].map((share, index) => {
    const at = (name: ImplementationName) => percentile(results[name]?.timings[timing] ?? [], share);
    const figures = figuresOf(results, (name) => at(name) - at('direct'));
    return compared(`${what}, p${share * 100}`, figures, { max: targets[index], digits: 2 });
  });
}

interface Format {
  /** The target. */
  max?: number;
  digits: number;
}

function compared(
  what: string,
  { gateway = Number.NaN, baseline, competitor }: Figures,
  format: Format,
): Row {
  const [, target, value, met] = bounded(what, gateway, format);
  const shown = (figure: number | undefined) => figure?.toFixed(format.digits) ?? '';
  return [what, target, value, met, shown(baseline), shown(competitor), ratioText(competitor, gateway)];
}

function bounded(what: string, value: number, { max, digits }: Format): Row {
  const target = max === undefined ? '' : `≤ ${max}`;
  const met = max === undefined ? '' : yesOrNo(value <= max);
  return [what, target, value.toFixed(digits), met, '', '', ''];
}

function requestsPerCore({ gateway = Number.NaN, baseline, competitor }: Figures): Row {
  const perSecond = (micros: number | undefined) => (micros === undefined ? '' : (1e6 / micros).toFixed(0));
  return [
    'Requests a second and core',
    `≥ ${leastRatio} × the competitor`,
    perSecond(gateway),
    competitor === undefined ? '' : yesOrNo(competitor / gateway >= leastRatio),
    perSecond(baseline),
    perSecond(competitor),
    ratioText(competitor, gateway),
  ];
}

function awsCallsRow({ warm, cold }: Overheads['awsCalls']): Row {
  const met = yesOrNo(warm === 0 && cold === 2);
  return ['AWS calls before the provider, warm / cold', '0 / 2', `${warm} / ${cold}`, met, '', '', ''];
}

function ratioText(competitor: number | undefined, gateway: number): string {
  return competitor === undefined ? '' : `${(competitor / gateway).toFixed(1)} ×`;
}

function yesOrNo(isMet: boolean): string {
  return isMet ? 'yes' : 'no';
}

function inMegabytes(figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, bytes]) => [name, bytes / 1e6]));
}
