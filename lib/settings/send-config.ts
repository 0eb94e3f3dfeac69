/**
 * Sends the settings of a configuration file, whose source is the argument, to the parent process. Run in a process of its
 * own, since Node loads a module once, even if its file changes.
 */

import { type ConfigSource, loadConfig } from './config-file.ts';
import type { GatewayConfig } from './settings.ts';
import { SettingsError } from './validation.ts';

/** `error` is the message of a `SettingsError`. */
export type SentConfig = { settings: GatewayConfig } | { error: string };

async function readConfig(source: ConfigSource): Promise<SentConfig> {
  try {
    return { settings: await loadConfig(source) };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { error: error.message };
  }
}

process.send?.(await readConfig(JSON.parse(process.argv[2] ?? '')));
