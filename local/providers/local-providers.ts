/** Puts the environment's providers, or the demo, over those of the template. */
import type { ProviderSettings } from '#lambdas/inference/providers/settings.ts';
import type { SecretsManager } from '../aws/secrets-manager.ts';
import type { EnvironmentOverrides } from '../functions/function-fleet.ts';
import type { Run } from '../run.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { resourcesOfType } from '../template/template.ts';
import { asObject, asText } from '../untyped-json.ts';
import { startDemoUpstream } from './demo-upstream.ts';
import { createProviderOverlay } from './provider-overlay.ts';

export interface LocalProviders {
  /** Providers that have a credential or an address; none when the demo answers. */
  configured: string[];
  /** As the functions are given them: the template's, the environment's over them, and the demo's. */
  settings: Record<string, ProviderSettings>;
  overrides: EnvironmentOverrides;
}

/** The functions that know providers are those whose environment has `PROVIDERS` and `PROVIDER_SECRET_ARN`. */
export async function provideProviders(
  run: Pick<Run, 'environment' | 'resources'>,
  stack: Pick<LocalStack, 'template' | 'resolve' | 'secrets'>,
  aws: { secretsManager: Pick<SecretsManager, 'storedValue'> },
): Promise<LocalProviders> {
  const overrides = new Map<string, Record<string, string>>();
  const configured = new Set<string>();
  const settings: Record<string, ProviderSettings> = {};
  let demo: Promise<ProviderSettings> | undefined;
  for (const { logicalId, properties } of resourcesOfType(stack.template, 'AWS::Lambda::Function')) {
    const declared = asObject(stack.resolve(properties.Environment ?? {}), logicalId).Variables;
    const { PROVIDERS, PROVIDER_SECRET_ARN } = asObject(declared ?? {}, `${logicalId}.Environment`);
    const secret = stack.secrets.find(({ arn }) => arn === PROVIDER_SECRET_ARN);
    if (PROVIDERS === undefined || secret === undefined) continue;
    const overlay = createProviderOverlay({
      providersJson: asText(PROVIDERS, `${logicalId}: PROVIDERS`),
      secretJson: aws.secretsManager.storedValue(secret),
      environment: run.environment,
    });
    secret.overlay = overlay.credentials;
    if (overlay.configured.length === 0) demo ??= provideDemo(run);
    const given = overlay.settings(await demo);
    overrides.set(logicalId, { PROVIDERS: JSON.stringify(given) });
    Object.assign(settings, given);
    for (const name of overlay.configured) configured.add(name);
  }
  return { configured: [...configured], settings, overrides };
}

async function provideDemo(run: Pick<Run, 'resources'>): Promise<ProviderSettings> {
  const demo = await startDemoUpstream();
  run.resources.defer(demo.stop);
  return demo.settings;
}
