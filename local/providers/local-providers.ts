/** Merges the template's providers with those of the environment, or with the demo provider. */
import type { ProviderSettings } from '#lambdas/inference/providers/settings.ts';
import type { SecretsManager } from '../aws/secrets-manager.ts';
import type { EnvironmentOverrides } from '../functions/environment-overrides.ts';
import type { RunContext } from '../run-context.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { hostedFunctions } from '../template/template.ts';
import { asObject, asString } from '../untyped-json.ts';
import { startDemoUpstream } from './demo/upstream.ts';
import { createProviderOverlay } from './provider-overlay.ts';

export interface LocalProviders {
  configured: string[];
  settings: Record<string, ProviderSettings>;
  overrides: EnvironmentOverrides;
}

/** Applies to the functions whose environment has `PROVIDERS`. Those without a secret price requests of the others. */
export async function configureProviders(
  run: Pick<RunContext, 'environment' | 'resources'>,
  stack: Pick<LocalStack, 'template' | 'resolve' | 'secrets'>,
  aws: { secretsManager: Pick<SecretsManager, 'storedValue'> },
): Promise<LocalProviders> {
  const overrides = new Map<string, Record<string, string>>();
  const configured = new Set<string>();
  const settings: Record<string, ProviderSettings> = {};
  const withoutSecret: string[] = [];
  let demo: Promise<ProviderSettings> | undefined;
  for (const { logicalId, properties } of hostedFunctions(stack.template)) {
    const declared = asObject(
      stack.resolve(properties.Environment ?? {}),
      `${logicalId}.Environment`,
    ).Variables;
    const { PROVIDERS, PROVIDER_SECRET_ARN } = asObject(declared ?? {}, `${logicalId}.Environment`);
    const secret = stack.secrets.find(({ arn }) => arn === PROVIDER_SECRET_ARN);
    if (PROVIDERS === undefined) continue;
    if (secret === undefined) {
      withoutSecret.push(logicalId);
      continue;
    }
    const overlay = createProviderOverlay({
      providersJson: asString(PROVIDERS, `${logicalId}: PROVIDERS`),
      secretJson: aws.secretsManager.storedValue(secret),
      environment: run.environment,
    });
    secret.overlay = overlay.credentials;
    if (overlay.configured.length === 0) demo ??= startDemo(run);
    const merged = overlay.settings(await demo);
    overrides.set(logicalId, { PROVIDERS: JSON.stringify(merged) });
    Object.assign(settings, merged);
    for (const name of overlay.configured) configured.add(name);
  }
  for (const logicalId of withoutSecret) overrides.set(logicalId, { PROVIDERS: JSON.stringify(settings) });
  return { configured: [...configured], settings, overrides };
}

async function startDemo(run: Pick<RunContext, 'resources'>): Promise<ProviderSettings> {
  const demo = await startDemoUpstream();
  run.resources.defer(demo.stop);
  return demo.settings;
}
