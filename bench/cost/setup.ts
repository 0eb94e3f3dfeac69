/** What of a deployment decides what a chat costs, as the template says it. */
import { defaultSettings } from '#lib/settings.ts';

export interface Template {
  Resources: Record<string, Resource>;
}

interface Resource {
  Type: string;
  Properties?: Record<string, unknown>;
}

export interface Setup {
  /** Whether Lambda writes lines of its own about each chat. */
  platformLines: boolean;
  rollupMemoryMb: number;
  /** How long entries are collected for the rollup function, and how many at most. */
  batchSeconds: number;
  batchSize: number;
  /** Of a line of API Gateway's access log, with sixteen letters for each value. */
  accessLogBytes: number;
  entryDays: number;
  logDays: number;
}

/** Of the stack's defaults. */
export function readSetup(template: Template): Setup {
  const chat = find(template, 'AWS::Lambda::Function', 'Forwards chat completions');
  const rollup = find(template, 'AWS::Lambda::Function', 'Adds new log entries');
  const stream = find(template, 'AWS::Lambda::EventSourceMapping', 'StartingPosition');
  const stage = find(template, 'AWS::ApiGateway::Stage', 'AccessLogSetting');
  const { SystemLogLevel } = chat.LoggingConfig as { SystemLogLevel?: string };
  const { Format } = stage.AccessLogSetting as { Format: string };
  return {
    platformLines: SystemLogLevel !== 'WARN',
    rollupMemoryMb: Number(rollup.MemorySize),
    batchSeconds: Number(stream.MaximumBatchingWindowInSeconds),
    batchSize: Number(stream.BatchSize),
    accessLogBytes: Buffer.byteLength(Format.replace(/\$context\.[\w.]+/g, 'x'.repeat(16))),
    entryDays: defaultSettings.entryRetentionDays,
    logDays: defaultSettings.logRetentionDays,
  };
}

/** The properties of the resource of a type in whose properties a text stands. */
function find({ Resources }: Template, type: string, text: string): Record<string, unknown> {
  const found = Object.values(Resources).find(
    ({ Type, Properties }) => Type === type && JSON.stringify(Properties).includes(text),
  );
  if (found?.Properties === undefined) throw new Error(`The template has no ${type} with "${text}"`);
  return found.Properties;
}
