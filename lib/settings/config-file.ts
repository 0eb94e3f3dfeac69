/**
 * Loads the settings from the file passed with `-c config=FILE`. Without the option, loads `gateway.config.ts` or
 * `gateway.config.json`.
 */

import { existsSync, readFileSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type GatewayConfig, parseSettings, type Settings, settingsSchema } from './settings.ts';
import { SettingsError } from './validation.ts';

const defaultFiles = ['gateway.config.ts', 'gateway.config.json'];

export interface ConfigSource {
  /** The CDK context: values from `cdk.json`, overridden by `-c NAME=VALUE`. */
  context: Readonly<Record<string, unknown>>;
  projectDirectory: string;
  /** FILE in `-c config=FILE` is relative to this directory. */
  workingDirectory: string;
}

/** Throws a `SettingsError` when the settings are missing, unreadable or invalid. */
export async function loadSettings(source: ConfigSource): Promise<Settings> {
  return parseSettings(await loadConfig(source));
}

/** Returns valid settings as they are in the file, without defaults. Throws like `loadSettings`. */
export async function loadConfig(source: ConfigSource): Promise<GatewayConfig> {
  rejectUnknownContext(source.context);
  const file = findFile(source);
  if (file === null) return {};
  const config = await readConfig(file);
  try {
    parseSettings(config);
    return config as GatewayConfig;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new SettingsError(error.message.replaceAll(/^/gm, `${basename(file)}: `));
  }
}

/** Context keys of CDK itself have a prefix (`@aws-cdk/…`, `aws:cdk:…`, `vpc-provider:…`), except for these two. */
const cdkContext = /^@|:|^cli-telemetry$|^acknowledged-issue-numbers$/;

/** CDK accepts any context key, so without this check a misspelled key would be ignored silently. */
function rejectUnknownContext(context: ConfigSource['context']): void {
  const unknown = Object.keys(context).filter((name) => name !== 'config' && !cdkContext.test(name));
  if (unknown.length === 0) return;
  const lines = unknown.map((name) =>
    Object.hasOwn(settingsSchema.shape, name)
      ? `${name} cannot be set with -c or in cdk.json: set it in gateway.config.ts, or in the file passed with -c config=FILE`
      : `${name} is not a known context key: only -c config=FILE is supported, and settings belong in gateway.config.ts`,
  );
  throw new SettingsError(lines.join('\n'));
}

function findFile({ context, projectDirectory, workingDirectory }: ConfigSource): string | null {
  const { config } = context;
  if (config === undefined) {
    const [file, other] = defaultFiles.map((name) => join(projectDirectory, name)).filter(existsSync);
    if (other === undefined) return file ?? null;
    throw new SettingsError(`Found both ${defaultFiles.join(' and ')}: remove one of them`);
  }
  if (typeof config !== 'string' || !['.ts', '.json'].includes(extname(config))) {
    throw new SettingsError(`config must be the path of a .ts or .json file: got ${JSON.stringify(config)}`);
  }
  const file = resolve(workingDirectory, config);
  if (!existsSync(file))
    throw new SettingsError(`The file passed with -c config=FILE does not exist: ${file}`);
  return file;
}

async function readConfig(file: string): Promise<unknown> {
  try {
    if (extname(file) === '.json') return removeSchemaReference(JSON.parse(readFileSync(file, 'utf8')));
    const { default: config } = await import(pathToFileURL(file).href);
    if (config !== undefined) return config;
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    throw new SettingsError(`${file} cannot be read: ${reason}`);
  }
  throw new SettingsError(`${file} has no default export: write \`export default defineConfig({ … })\``);
}

/** Removes `$schema`, which only editors use. */
function removeSchemaReference(config: unknown): unknown {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return config;
  const { $schema: _, ...settings } = config as Record<string, unknown>;
  return settings;
}
