/**
 * Writes the functions' log: one JSON object per line, whose fields CloudWatch Logs Insights queries by name. Field names
 * are in snake_case, except for those of metrics.
 *
 * Lines go to standard output directly: Lambda would wrap the output of `console.log` in a field `message`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type LogMetricValues,
  logMetricFields,
  type MetricSettings,
  type MonitoringLevel,
} from './log-metrics.ts';

export interface Log {
  /** The line also publishes `metrics`. */
  info(event: string, fields: object, metrics?: LogMetricValues): void;
  error(event: string, fields: object, metrics?: LogMetricValues): void;
}

interface LogOptions {
  write(line: string): void;
  metrics: MetricSettings;
  functionVersion: string;
  now(): number;
}

const invocations = new AsyncLocalStorage<string>();

/** Runs `work` so that the lines it logs have the id of its Lambda invocation. */
export function withRequestId<Result>(requestId: string, work: () => Result): Result {
  return invocations.run(requestId, work);
}

/** Wraps a handler so that the lines it logs have the id of its invocation. */
export function withLogContext<Event, Context extends { awsRequestId: string }, Result>(
  handler: (event: Event, context: Context) => Promise<Result>,
) {
  return (event: Event, context: Context): Promise<Result> =>
    withRequestId(context.awsRequestId, () => handler(event, context));
}

export function currentRequestId(): string | null {
  return invocations.getStore() ?? null;
}

export function createLog({ write, metrics: settings, functionVersion, now }: LogOptions): Log {
  const writeLine = (level: string, event: string, fields: object, metrics?: LogMetricValues) => {
    const atMs = now();
    const line = {
      timestamp: new Date(atMs).toISOString(),
      level,
      event,
      request_id: currentRequestId(),
      function_version: functionVersion,
      ...fields,
      ...(metrics && logMetricFields(metrics, settings, atMs)),
    };
    write(`${JSON.stringify(line)}\n`);
  };
  return {
    info: (event, fields, metrics) => writeLine('INFO', event, fields, metrics),
    error: (event, fields, metrics) => writeLine('ERROR', event, fields, metrics),
  };
}

const { STACK_NAME = '', MONITORING = 'off', AWS_LAMBDA_FUNCTION_VERSION = '' } = process.env;

export const metricSettings: MetricSettings = { level: MONITORING as MonitoringLevel, stackName: STACK_NAME };

export const log = createLog({
  write: (line) => process.stdout.write(line),
  metrics: metricSettings,
  functionVersion: AWS_LAMBDA_FUNCTION_VERSION,
  now: Date.now,
});

/** Leaves out the error's message, which may quote a prompt. `call` is that of a `ServiceError`. */
export function errorFields(error: unknown): {
  error: string;
  code: string | null;
  at: string | null;
  call?: unknown;
} {
  if (!(error instanceof Error)) return { error: typeof error, code: null, at: null };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return { error: error.name, code, at: locationOf(error), ...('call' in error && { call: error.call }) };
}

/** Returns file, line and column of the first stack frame. The message precedes the frames and may look like one. */
function locationOf({ stack = '', message }: Error): string | null {
  const messageAt = stack.indexOf(message);
  if (messageAt === -1) return null;
  const frames = stack.slice(messageAt + message.length).split('\n');
  const first = frames.find((line) => line.trimStart().startsWith('at '))?.replace(/\)$/, '') ?? '';
  const location = first.split(/[\s/\\(]/).at(-1) ?? '';
  return /:\d+$/.test(location) ? location : null;
}
