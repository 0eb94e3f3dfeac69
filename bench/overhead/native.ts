/** Compares a native Messages request with a chat completion of the same size, in the CPU time of the same process. */
import type { Environment } from '../harness/environment.ts';
import { markdownTable } from '../harness/figures.ts';
import { compare, type Load, messagesOf, type Results, startGateway } from './implementations.ts';
import { completion, streamOf, warmUp } from './measure.ts';

/** The CPU time per request, in microseconds. */
interface Comparison {
  label: string;
  chat: number;
  messages: number;
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

export async function measureMessages(environment: Environment, rounds: number): Promise<Comparison[]> {
  const gateway = await startGateway(environment);
  const implementations = [gateway, messagesOf(gateway)];
  await warmUp(environment, implementations);
  const comparisons: Comparison[] = [];
  for (const [label, load] of loads) {
    const results = await compare(environment, implementations, { ...load, concurrency: 16 }, rounds);
    comparisons.push({ label, chat: cpuOf(results, 'gateway'), messages: cpuOf(results, 'messages') });
  }
  return comparisons;
}

function cpuOf(results: Results, name: 'gateway' | 'messages'): number {
  return results[name]?.cpuMicros ?? Number.NaN;
}

const maxRatio = 1.1;

export function messagesTable(comparisons: readonly Comparison[]): string {
  return markdownTable(
    "Anthropic's Messages API, forwarded, compared with chat completions: CPU per request, µs",
    ['', 'Chat', 'Messages', 'Ratio', 'Target', 'Met'],
    comparisons.map(({ label, chat, messages }) => {
      const ratio = messages / chat;
      const met = ratio <= maxRatio ? 'yes' : 'no';
      return [label, chat.toFixed(0), messages.toFixed(0), ratio.toFixed(2), `≤ ${maxRatio}`, met];
    }),
  );
}
