/** The local gateway with all metrics and alarms, with fault injection, and the log lines of its functions. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type FaultFixture, startFaultFixture } from '#test/faults/support/fault-fixture.ts';
import { gatewayAssembly } from '../gateway-assembly.ts';
import { type AlarmMonitor, createAlarmMonitor } from '../monitoring/alarm-monitor.ts';
import { type FunctionLine, haveEnded, parseFunctionLine } from './function-lines.ts';

/** More than the requests of which a test waits only for the response, but not for the write of the log entry. */
export const chatConcurrency = 20;

const settings = {
  chatLimits: { firstByteSeconds: 3, idleSeconds: 3, totalSeconds: 20, drainSeconds: 1, retries: 1 },
  chatConcurrency,
  monitoring: 'all',
  metricModels: ['openai/gpt-4o'],
  canary: { model: null, everyMinutes: 15 },
  providers: { openai: { operations: { messages: '/messages' } } },
} as const;

interface ChatOptions {
  /** The function URL by default. */
  endpoint?: 'rest_api' | 'function_url';
  model?: string;
  stream?: boolean;
  apiKey?: string;
  /** The path of another operation, for which `body` is needed. */
  path?: string;
  /** Replaces the body. */
  body?: string;
  signal?: AbortSignal;
}

export interface MonitoredGateway extends FaultFixture {
  assemblyDirectory: string;
  lines: readonly FunctionLine[];
  monitor: Pick<AlarmMonitor, 'store' | 'invalidLines'>;
  alarms(): ReturnType<AlarmMonitor['evaluate']>;
  linesOf(event: string): JsonObject[];
  /** Whether all invocations of the chat function have ended: it writes log entries after its responses. */
  isIdle(): Promise<boolean>;
  /** Whether the rollups include all log entries, and no sum is being written. */
  isCounted(): Promise<boolean>;
  /** Resolves to the status when the response has ended, and to `null` when it was cut off. */
  chat(options?: ChatOptions): Promise<number | null>;
  chatTimes(count: number, options?: ChatOptions): Promise<(number | null)[]>;
}

export async function startMonitoredGateway(): Promise<MonitoredGateway> {
  const lines: FunctionLine[] = [];
  const monitor = createAlarmMonitor();
  const assemblyDirectory = await gatewayAssembly({ ...settings, metricModels: [...settings.metricModels] });
  const fixture = await startFaultFixture({
    assemblyDirectory,
    onLogLine: (line) => {
      const parsed = parseFunctionLine(line);
      if (parsed !== null) lines.push(parsed);
    },
    onServiceEvent: monitor.onServiceEvent,
    // The outcome `client_closed` has a metric.
    reportDisconnects: true,
  });
  const { gateway } = fixture;
  let requests = 0;

  async function chat(options: ChatOptions = {}): Promise<number | null> {
    const { endpoint = 'function_url', apiKey = gateway.apiKey, model = 'openai/gpt-4o', signal } = options;
    const origin = endpoint === 'rest_api' ? gateway.baseUrl : gateway.chatUrl;
    requests += 1;
    const body = {
      model,
      messages: [{ role: 'user', content: 'Hello' }],
      user: `request-${requests}`,
      stream: options.stream ?? false,
    };
    try {
      const response = await fetch(`${origin}${options.path ?? '/ai/chat/completions'}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: options.body ?? JSON.stringify(body),
        signal,
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return null;
    }
  }

  async function hasEnded(name: string): Promise<boolean> {
    // Reads the lines that have been written so far.
    await gateway.monitor.report();
    return haveEnded(lines, name);
  }

  async function read<Body>(path: string): Promise<Body> {
    const headers = { authorization: `Bearer ${gateway.apiKey}` };
    return (await (await fetch(`${gateway.baseUrl}${path}`, { headers })).json()) as Body;
  }

  return {
    ...fixture,
    assemblyDirectory,
    lines,
    monitor,
    alarms: () => monitor.evaluate(gateway),
    linesOf: (event) => lines.flatMap(({ fields }) => (fields.event === event ? [fields] : [])),
    isIdle: () => hasEnded('ChatFunction'),
    async isCounted() {
      const { data } = await read<{ data: Pick<LogEntry, 'outcome' | 'superseded_by'>[] }>(
        '/api/logs?limit=1000',
      );
      const forwarded = data.filter(
        ({ outcome, superseded_by: requestId }) => outcome !== 'rejected' && requestId === null,
      ).length;
      const { total_requests } = await read<{ total_requests: number }>('/api/costs');
      return total_requests === forwarded && (await hasEnded('CostRollupFunction'));
    },
    chat,
    chatTimes: (count, options) => Promise.all(Array.from({ length: count }, () => chat(options))),
  };
}
