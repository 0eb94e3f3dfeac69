import { createLog, type Log } from '#lambdas/platform/telemetry/log.ts';
import { recordOutput } from './planted-secrets/output-recorder.ts';

/** A log with every metric that passes each line to `onLine`, without its line break. */
export function collectLogLines(onLine: (line: string) => void): Log {
  return createLog({
    write(line) {
      recordOutput("the functions' log", line);
      onLine(line.trimEnd());
    },
    metrics: { level: 'all', stackName: 'AiGateway' },
    functionVersion: '1',
    now: Date.now,
  });
}

export interface LogLine {
  level: string;
  event: string;
  [field: string]: unknown;
}

/** Fields of every line, and of every line with metrics. */
const commonFields = new Set(['timestamp', 'request_id', 'function_version', 'Stack', '_aws']);

/** The common fields are asserted by `test/lambdas/platform/telemetry/log.test.ts`. */
export function withoutCommonFields(line: object): LogLine {
  const fields = Object.entries(line).filter(([name]) => !commonFields.has(name));
  return Object.fromEntries(fields) as LogLine;
}
