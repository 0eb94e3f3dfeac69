/** Reads the settings that determine costs from the stack's template. */
import { defaultSettings } from '#lib/settings/settings.ts';

export interface Template {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
}

export interface Deployment {
  /** True when Lambda logs the start and the end of each invocation. */
  hasPlatformLines: boolean;
  rollupMemoryMb: number;
  batchingWindowSeconds: number;
  maxBatchSize: number;
  /** Size of a line of API Gateway's access log, assuming 16 bytes per value. */
  accessLogLineBytes: number;
  entryRetentionDays: number;
  logRetentionDays: number;
}

/** Expects the template of a stack with default settings. */
export function readDeployment(template: Template): Deployment {
  const chat = propertiesOf(template, 'AWS::Lambda::Function', 'Forwards requests for AI models');
  const rollup = propertiesOf(template, 'AWS::Lambda::Function', 'Adds new log entries');
  const stream = propertiesOf(template, 'AWS::Lambda::EventSourceMapping', 'TumblingWindowInSeconds');
  const stage = propertiesOf(template, 'AWS::ApiGateway::Stage', 'AccessLogSetting');
  const { SystemLogLevel } = chat.LoggingConfig as { SystemLogLevel?: string };
  const { Format } = stage.AccessLogSetting as { Format: string };
  return {
    hasPlatformLines: SystemLogLevel !== 'WARN',
    rollupMemoryMb: Number(rollup.MemorySize),
    batchingWindowSeconds: Number(stream.MaximumBatchingWindowInSeconds),
    maxBatchSize: Number(stream.BatchSize),
    accessLogLineBytes: Buffer.byteLength(Format.replace(/\$context\.[\w.]+/g, 'x'.repeat(16))),
    entryRetentionDays: defaultSettings.entryRetentionDays,
    logRetentionDays: defaultSettings.logRetentionDays,
  };
}

/** Returns the properties of the first resource of this type whose JSON contains `text`. Throws when there is none. */
function propertiesOf({ Resources }: Template, type: string, text: string): Record<string, unknown> {
  const found = Object.values(Resources).find(
    ({ Type, Properties }) => Type === type && JSON.stringify(Properties).includes(text),
  );
  if (found?.Properties === undefined) throw new Error(`The template has no ${type} with "${text}"`);
  return found.Properties;
}
