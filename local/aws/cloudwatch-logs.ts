/**
 * Emulates `FilterLogEvents` of CloudWatch Logs on the log files of the functions, for patterns such as `?"one" ?"other"`.
 * https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';
import { previousLogFile } from '../functions/log.ts';
import { logFileOf } from '../functions/log-directory.ts';
import { localAccountId } from '../identities.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { hostedFunctions } from '../template/template.ts';
import { asObject, asString, isObject, parseJson } from '../untyped-json.ts';
import { type AwsCall, sendAwsError, sendAwsJson, sendUnknownOperation } from './call.ts';

export interface CloudWatchLogs {
  handle(call: AwsCall): Promise<void>;
}

/** The log file of each log group. */
type LogGroups = ReadonlyMap<string, string>;

export function readLogGroups(
  { template, resolve }: Pick<LocalStack, 'template' | 'resolve'>,
  logDirectory: string,
): LogGroups {
  return new Map(
    hostedFunctions(template).flatMap(({ logicalId, properties }) => {
      const { LogGroup } = asObject(resolve(properties.LoggingConfig ?? {}), `${logicalId}.LoggingConfig`);
      if (LogGroup === undefined) return [];
      return [
        [asString(LogGroup, `${logicalId}.LoggingConfig.LogGroup`), logFileOf(logDirectory, logicalId)],
      ];
    }),
  );
}

/** Strict, so that nothing is ignored that a function relies on. */
const requestSchema = z.strictObject({
  logGroupName: z.string(),
  startTime: z.number().int(),
  endTime: z.number().int(),
  filterPattern: z
    .string()
    .regex(/^\?"[^"]+"( \?"[^"]+")*$/)
    .transform((pattern) => [...pattern.matchAll(terms)].map(([, term = '']) => term)),
  nextToken: z
    .string()
    .regex(/^[01]-\d+$/)
    .optional(),
});

export function createCloudWatchLogs(region: string, logGroups: LogGroups): CloudWatchLogs {
  return {
    async handle({ operation, body, response, authorize }) {
      if (operation !== 'FilterLogEvents') return sendUnknownOperation(response, `logs:${operation}`);
      const reject = (type: string, message: string) =>
        sendAwsError(response, { status: 400, type, message });
      const { data: request } = requestSchema.safeParse(body);
      if (request === undefined) {
        return reject(
          'InvalidParameterException',
          'The local run supports only logGroupName, startTime, endTime, nextToken and filterPattern, with a pattern such as ?"one" ?"other"',
        );
      }
      const name = request.logGroupName;
      const resource = `arn:aws:logs:${region}:${localAccountId}:log-group:${name}:*`;
      if (!authorize([{ action: 'logs:FilterLogEvents', resource }])) return;
      const file = logGroups.get(name);
      if (file === undefined) {
        return reject('ResourceNotFoundException', 'The specified log group does not exist.');
      }
      const { lines, nextToken } = readPage(file, request.nextToken);
      const events = lines.flatMap((message) => toEvent(message, request));
      sendAwsJson(response, { events, searchedLogStreams: [], ...(nextToken !== null && { nextToken }) });
    },
  };
}

const terms = /\?"([^"]+)"/g;

/** A line without a timestamp, such as one of Node.js itself, is no event. */
function toEvent(message: string, request: z.output<typeof requestSchema>): object[] {
  if (!request.filterPattern.some((term) => message.includes(term))) return [];
  const line = parseJson(message);
  const timestamp = isObject(line) ? Date.parse(String(line.timestamp)) : Number.NaN;
  // Both ends are inclusive.
  return timestamp >= request.startTime && timestamp <= request.endTime ? [{ timestamp, message }] : [];
}

interface Page {
  lines: string[];
  nextToken: string | null;
}

/** Less than CloudWatch's megabyte, so that a test has more than one page without much data. */
const pageBytes = 64 * 1024;

/** A token is the number of the file, 0 for the one before the last rotation, and an offset. */
function readPage(logFile: string, token = '0-0'): Page {
  const files = [previousLogFile(logFile), logFile];
  const [index = 0, offset = 0] = token.split('-').map(Number);
  const file = files[index] ?? logFile;
  const { lines, nextOffset } = existsSync(file) ? readLines(file, offset) : { lines: [], nextOffset: null };
  if (nextOffset !== null) return { lines, nextToken: `${index}-${nextOffset}` };
  return { lines, nextToken: index === 0 ? '1-0' : null };
}

/** `nextOffset` is `null` at the end of the file. An incomplete last line is left out. */
function readLines(file: string, offset: number): { lines: string[]; nextOffset: number | null } {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    for (let bytes = pageBytes; ; bytes *= 2) {
      const buffer = Buffer.alloc(Math.min(bytes, Math.max(0, size - offset)));
      const length = readSync(descriptor, buffer, 0, buffer.length, offset);
      const end = buffer.lastIndexOf('\n') + 1;
      const isLastPage = offset + length >= size;
      if (end === 0 && !isLastPage) continue;
      const lines = buffer.toString('utf8', 0, end).split('\n').slice(0, -1);
      return { lines, nextOffset: isLastPage ? null : offset + end };
    }
  } finally {
    closeSync(descriptor);
  }
}
