/** The one table: each target, what was measured, and how it stands to the others. */
import { markdownTable } from '../shared/markdown-table.ts';
import { percentile } from '../shared/percentile.ts';
import type { ContenderName } from './contenders.ts';
import type { Timings } from './load.ts';
import { eachOf, type Figures, type Overheads } from './measure.ts';
import { peerName } from './peer.ts';
import type { Results } from './rounds.ts';

/** What is measured elsewhere: see the benches of start-up and of cost. */
export interface Elsewhere {
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
  floor: string,
  peer: string,
  ratio: string,
];

const headings = ['', 'Target', 'This gateway', 'Met', 'Floor', peerName, `${peerName} ÷ gateway`];

export function overheadTable(overheads: Overheads, elsewhere: Elsewhere): string {
  const { oneAtATime, oneStream, sixteenStreams, busy, chunkApart, chunkAtOnce, memory } = overheads;
  const cpu = eachOf(busy, (name) => busy[name]?.cpuMicros ?? Number.NaN);
  const rows: Row[] = [
    ...added('Added latency, one at a time, ms', { results: oneAtATime, of: 'total', targets: [0.25, 0.6] }),
    ...added('Added time to first token, ms', { results: oneStream, of: 'firstByte', targets: [0.5, 0.9] }),
    ...added('the same at 16 streams, 5 ms between chunks', {
      results: sixteenStreams,
      of: 'firstByte',
      targets: [2, 5],
    }),
    compared('CPU of a request, µs', cpu, { most: 130, digits: 0 }),
    compared("and with the log write's own HTTP", { ...cpu, gateway: cpu.overNetwork }, { digits: 0 }),
    compared('CPU of a chunk, 5 ms apart, µs', chunkApart, { most: 30, digits: 1 }),
    compared('CPU of a chunk, as fast as they come, µs', chunkAtOnce, { most: 30, digits: 1 }),
    requestsPerCore(cpu),
    compared('Resident memory idle, MB', scaled(memory.idleBytes, 1e-6), { most: 65, digits: 0 }),
    compared('with 64 streams', scaled(memory.peakBytes, 1e-6), { most: 140, digits: 0 }),
    ...ofStartUp(elsewhere),
    own('AWS calls before the provider, warm / cold', '0 / 2', {
      value: `${overheads.awsCalls.warm} / ${overheads.awsCalls.cold}`,
      isMet: overheads.awsCalls.warm === 0 && overheads.awsCalls.cold === 2,
    }),
    own('A million chats of 5 s at 128 MB, 100 a second, $', '≤ 10', {
      value: elsewhere.millionUsd.toFixed(2),
      isMet: elsewhere.millionUsd <= 10,
    }),
  ];
  return markdownTable('The gateway, against calling the provider directly', headings, rows);
}

interface AddedOptions {
  results: Results;
  of: keyof Timings;
  targets: [p50: number, p99: number];
}

/** The percentile of those who went through, less that of those who went directly. */
function added(what: string, { results, of, targets }: AddedOptions): Row[] {
  return [0.5, 0.99].map((share, place) => {
    const at = (name: ContenderName) => percentile(results[name]?.timings[of] ?? [], share);
    const figures = eachOf(results, (name) => at(name) - at('direct'));
    return compared(`${what}, p${share * 100}`, figures, { most: targets[place], digits: 2 });
  });
}

function compared(what: string, figures: Figures, { most, digits }: { most?: number; digits: number }): Row {
  const { gateway = Number.NaN, floor, peer } = figures;
  const shown = (figure: number | undefined) => (figure === undefined ? '' : figure.toFixed(digits));
  const met = most === undefined ? '' : gateway <= most ? 'yes' : 'no';
  const ratio = peer === undefined ? '' : `${(peer / gateway).toFixed(1)} ×`;
  return [what, most === undefined ? '' : `≤ ${most}`, shown(gateway), met, shown(floor), shown(peer), ratio];
}

function requestsPerCore(cpu: Figures): Row {
  const perSecond = (micros: number | undefined) =>
    micros === undefined ? '' : Math.round(1e6 / micros).toString();
  const ratio = cpu.peer === undefined || cpu.gateway === undefined ? null : cpu.peer / cpu.gateway;
  return [
    'Requests a second and core',
    '≥ 4.2 × the peer',
    perSecond(cpu.gateway),
    ratio === null ? '' : ratio >= 4.2 ? 'yes' : 'no',
    perSecond(cpu.floor),
    perSecond(cpu.peer),
    ratio === null ? '' : `${ratio.toFixed(1)} ×`,
  ];
}

function ofStartUp({ readBytes, wholeBytes, importMs, importInLambdaMs, importCachedMs }: Elsewhere): Row[] {
  const within = (value: number, most: number, digits: number) => ({
    value: value.toFixed(digits),
    isMet: value <= most,
  });
  return [
    own('Chat bundle that a cold start reads, kB', '≤ 420', within(readBytes / 1000, 420, 0)),
    own('and all of it', '', { value: (wholeBytes / 1000).toFixed(0), isMet: null }),
    own('Its import until ready, alone, ms', '≤ 50', within(importMs, 50, 1)),
    own("with Lambda's runtime loaded before", '≤ 50', within(importInLambdaMs, 50, 1)),
    own('and with a read-only compile cache', '≤ 20', within(importCachedMs, 20, 1)),
  ];
}

function own(what: string, target: string, { value, isMet }: { value: string; isMet: boolean | null }): Row {
  return [what, target, value, isMet === null ? '' : isMet ? 'yes' : 'no', '', '', ''];
}

function scaled(figures: Figures, factor: number): Figures {
  const entries = Object.entries(figures).map(([name, value]) => [name, value * factor]);
  return Object.fromEntries(entries);
}
