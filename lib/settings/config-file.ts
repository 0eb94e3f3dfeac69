/** Where the settings are: `gateway.config.ts` or `gateway.config.json` in the project, or the file of `-c config=FILE`. */

import { existsSync, readFileSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSettings, type Settings, settingsSchema } from '../settings.ts';
import { SettingsError } from './validation.ts';

const defaultFiles = ['gateway.config.ts', 'gateway.config.json'];

export interface ConfigSource {
  /** The CDK context: `cdk.json`, and `-c NAME=VALUE` over it. */
  context: Readonly<Record<string, unknown>>;
  /** Where the default files are. */
  projectDirectory: string;
  /** What the file of `-c config=FILE` is relative to. */
  workingDirectory: string;
}

/** Throws a `SettingsError` whose message is for the operator. */
export async function loadSettings(source: ConfigSource): Promise<Settings> {
  rejectUnknownContext(source.context);
  const file = findFile(source);
  if (file === null) return parseSettings({});
  const config = await readConfig(file);
  try {
    return parseSettings(config);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new SettingsError(error.message.replaceAll(/^/gm, `${basename(file)}: `));
  }
}

/** CDK's own names have a prefix (`@aws-cdk/…`, `aws:cdk:…`, `vpc-provider:…`), but for these. */
const cdkContext = /^@|:|^cli-telemetry$|^acknowledged-issue-numbers$/;

/** CDK accepts any name, so a misspelled one would have no effect and nobody would notice. */
function rejectUnknownContext(context: ConfigSource['context']): void {
  const unknown = Object.keys(context).filter((name) => name !== 'config' && !cdkContext.test(name));
  if (unknown.length === 0) return;
  const lines = unknown.map((name) =>
    Object.hasOwn(settingsSchema.shape, name)
      ? `${name} cannot be set with -c or in cdk.json: set it in gateway.config.ts, or in the file of -c config=FILE`
      : `${name} is not known: the only name for -c is config=FILE, and settings are in gateway.config.ts`,
  );
  throw new SettingsError(lines.join('\n'));
}

function findFile({ context, projectDirectory, workingDirectory }: ConfigSource): string | null {
  const { config } = context;
  if (config === undefined) {
    const [file, other] = defaultFiles.map((name) => join(projectDirectory, name)).filter(existsSync);
    if (other === undefined) return file ?? null;
    throw new SettingsError(
      `config must be one file, but there are ${defaultFiles.join(' and ')}: remove one`,
    );
  }
  if (typeof config !== 'string' || !['.ts', '.json'].includes(extname(config))) {
    throw new SettingsError(`config must name a .ts or .json file: got ${JSON.stringify(config)}`);
  }
  const file = resolve(workingDirectory, config);
  if (!existsSync(file)) throw new SettingsError(`config names a file that does not exist: ${file}`);
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
  throw new SettingsError(`${file} has no settings: write \`export default defineConfig({ … })\``);
}

/** `$schema` is for editors. */
function removeSchemaReference(config: unknown): unknown {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return config;
  const { $schema: _, ...settings } = config as Record<string, unknown>;
  return settings;
}
