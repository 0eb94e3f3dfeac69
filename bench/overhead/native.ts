/**
 * Compares requests that are forwarded byte for byte, in the formats of the Messages and the Responses API, with chat
 * completions of the same size, in the CPU time of the same process.
 */
import type { Environment } from '../harness/environment.ts';
import { markdownTable } from '../harness/figures.ts';
import { compare, type Load, type NativeOperation, nativeOf, startGateway } from './implementations.ts';
import { completion, streamOf, warmUp } from './measure.ts';

/** The CPU time per request, in microseconds. */
interface Comparison {
  label: string;
  chat: number;
  native: Record<NativeOperation, number>;
}

/** About that of a coding agent. */
const agentBytes = 88_000;

const loads: readonly [label: string, load: Omit<Load, 'concurrency'>][] = [
  ['A completion, request of 700 bytes', { ...completion, requests: 1000 }],
  [
    'A stream of 300 events, request of 700 bytes',
    { ...streamOf(300, 0), includeUsage: true, requests: 300 },
  ],
  [
    'A stream of 300 events, request of 88 kB',
    { ...streamOf(300, 0), includeUsage: true, bytes: agentBytes, requests: 300 },
  ],
];

export async function measureNative(environment: Environment, rounds: number): Promise<Comparison[]> {
  const gateway = await startGateway(environment);
  const implementations = [gateway, nativeOf(gateway, 'messages'), nativeOf(gateway, 'responses')];
  await warmUp(environment, implementations);
  const comparisons: Comparison[] = [];
  for (const [label, load] of loads) {
    const results = await compare(environment, implementations, { ...load, concurrency: 16 }, rounds);
    const cpuOf = (name: 'gateway' | NativeOperation) => results[name]?.cpuMicros ?? Number.NaN;
    const native = { messages: cpuOf('messages'), responses: cpuOf('responses') };
    comparisons.push({ label, chat: cpuOf('gateway'), native });
  }
  return comparisons;
}

const maxRatio = 1.1;

export function nativeTable(comparisons: readonly Comparison[]): string {
  return markdownTable(
    'Requests forwarded byte for byte, compared with chat completions: CPU per request, µs',
    ['', 'Chat', 'Messages', 'Ratio', 'Responses', 'Ratio', 'Target', 'Met'],
    comparisons.map(({ label, chat, native: { messages, responses } }) => {
      const ratios = [messages / chat, responses / chat];
      const met = ratios.every((ratio) => ratio <= maxRatio) ? 'yes' : 'no';
      const cells = [messages, responses].flatMap((cpu) => [cpu.toFixed(0), (cpu / chat).toFixed(2)]);
      return [label, chat.toFixed(0), ...cells, `≤ ${maxRatio}`, met];
    }),
  );
}
