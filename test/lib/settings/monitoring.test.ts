import { describe, expect, it } from 'vitest';
import { type GatewayConfig, parseSettings } from '#lib/settings/settings.ts';
import { SettingsError } from '#lib/settings/validation.ts';

describe('Settings of monitoring', () => {
  it.each<GatewayConfig>([
    { monitoring: 'off' },
    { monitoring: 'alarms', alarmEmail: 'ops@acme.example', tracing: true },
    { monitoring: 'all', metricModels: ['openai/gpt-5.5', 'my-llm/meta-llama/Llama-3.3-70B'] },
    { monitoring: 'all', metricModels: Array.from({ length: 20 }, (_, index) => `openai/model-${index}`) },
    { canary: { model: 'openai/gpt-5.5', everyMinutes: 5 } },
    { canary: { model: null, everyMinutes: 600 } },
  ])('accepts %j', (config) => {
    expect(parseSettings(config)).toMatchObject(config);
  });

  it('completes a canary without a model, every 15 minutes', () => {
    expect(parseSettings({ canary: {} }).canary).toEqual({ model: null, everyMinutes: 15 });
  });

  it('compares the address in lower case', () => {
    expect(parseSettings({ alarmEmail: 'Ops@Acme.example' }).alarmEmail).toBe('ops@acme.example');
  });
});

const modelMessage = 'must be a model with its provider, such as openai/gpt-5.5: got';
const intervalMessage = 'canary.everyMinutes must be a whole number from 5 to 600: got';

describe('Invalid settings of monitoring', () => {
  it.each<[object, string]>([
    [{ monitoring: 'metrics' }, `monitoring must be 'off', 'alarms' or 'all': got "metrics"`],
    [{ monitoring: true }, `monitoring must be 'off', 'alarms' or 'all': got true`],
    [{ alarmEmail: 'ops' }, 'alarmEmail must be an e-mail address, such as gateway@acme.example: got "ops"'],
    [
      { monitoring: 'all', metricModels: 'openai/gpt-5.5' },
      'metricModels must be an array of models, such as ["openai/gpt-5.5"]: got "openai/gpt-5.5"',
    ],
    [{ monitoring: 'all', metricModels: ['gpt-5.5'] }, `metricModels[0] ${modelMessage} "gpt-5.5"`],
    [
      { monitoring: 'all', metricModels: ['openai/gpt 5.5'] },
      `metricModels[0] ${modelMessage} "openai/gpt 5.5"`,
    ],
    [
      { monitoring: 'all', metricModels: [`openai/${'m'.repeat(250)}`] },
      `metricModels[0] ${modelMessage} "openai/${'m'.repeat(250)}"`,
    ],
    [
      { monitoring: 'all', metricModels: Array(21).fill('openai/gpt-5.5') },
      'metricModels must have at most 20 models',
    ],
    [
      { monitoring: 'all', metricModels: Array(20).fill(`openai/${'m'.repeat(150)}`) },
      'metricModels must not exceed 3000 bytes as JSON, because Lambda limits environment variables to 4 KB: got 3201',
    ],
    [{ tracing: 'yes' }, 'tracing must be true or false: got "yes"'],
    [{ canary: true }, 'canary must be an object'],
    [{ canary: { model: 'gpt-5.5' } }, `canary.model ${modelMessage} "gpt-5.5"`],
    [{ canary: { everyMinutes: 4 } }, `${intervalMessage} 4`],
    [{ canary: { everyMinutes: 1_441 } }, `${intervalMessage} 1441`],
    [{ canary: { everyMinutes: 7.5 } }, `${intervalMessage} 7.5`],
    [{ canary: { key: 'pt_live_1' } }, 'canary.key is not a setting: valid settings are model, everyMinutes'],
  ])('reports %j in one line that names the setting', (config, message) => {
    expect(() => parseSettings(config)).toThrow(new SettingsError(message));
  });

  it.each<[object, string]>([
    [{ metricModels: ['openai/gpt-5.5'] }, "metricModels requires monitoring: 'all'"],
    [{ monitoring: 'off', metricModels: ['openai/gpt-5.5'] }, "metricModels requires monitoring: 'all'"],
    [
      { monitoring: 'off', alarmEmail: 'ops@acme.example' },
      "alarmEmail requires monitoring: 'alarms' or 'all'",
    ],
    [{ monitoring: 'off', canary: {} }, "canary requires monitoring: 'alarms' or 'all'"],
    [
      { monitoring: 'off', alarmEmail: 'ops@acme.example', canary: {} },
      "alarmEmail requires monitoring: 'alarms' or 'all'\ncanary requires monitoring: 'alarms' or 'all'",
    ],
  ])('refuses settings that would have no effect: %j', (config, message) => {
    expect(() => parseSettings(config)).toThrow(new SettingsError(message));
  });
});
