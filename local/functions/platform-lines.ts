/**
 * The lines that Lambda itself writes to a function's log with the log format JSON:
 * https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html
 */
interface InvocationReport {
  requestId: string;
  result: InvocationResult;
  durationMs: number;
  memorySizeMb: number;
  maxMemoryUsedMb: number;
  /** Only for the first invocation of a process. */
  initDurationMs: number | undefined;
}

/** A process that exits or is killed has the status `error` and the type `Runtime.ExitError`. */
export type InvocationResult =
  | { status: 'success' }
  | { status: 'timeout' }
  | { status: 'error'; errorType: string };

export const exitResult: InvocationResult = { status: 'error', errorType: 'Runtime.ExitError' };

export function startLine(requestId: string, version: string): string {
  return platformLine('platform.start', { requestId, version });
}

export function reportLine(report: InvocationReport): string {
  const { requestId, result, durationMs, memorySizeMb, maxMemoryUsedMb, initDurationMs } = report;
  const metrics = {
    durationMs: roundToMicroseconds(durationMs),
    billedDurationMs: Math.ceil(durationMs + (initDurationMs ?? 0)),
    memorySizeMB: memorySizeMb,
    maxMemoryUsedMB: maxMemoryUsedMb,
    ...(initDurationMs !== undefined && { initDurationMs: roundToMicroseconds(initDurationMs) }),
  };
  return platformLine('platform.report', { requestId, metrics, ...result });
}

function platformLine(type: string, record: object): string {
  return JSON.stringify({ time: new Date().toISOString(), type, record });
}

function roundToMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
