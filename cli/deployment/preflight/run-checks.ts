import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { isAccessDenied, isCallError } from '#cli/connection/aws-errors.ts';
import type { AwsSettings } from '#cli/connection/aws-settings.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { findStack, listResources } from '../stacks.ts';
import { bootstrap } from './bootstrap.ts';
import { identifyCaller } from './caller.ts';
import type { Check, Deployment, Finding } from './check.ts';
import { accountConcurrency, chatConcurrency } from './concurrency.ts';
import { distribution } from './distribution.ts';
import { bedrockModels, streaming } from './documented.ts';
import { logRole } from './log-role.ts';
import { mailAccount, mailIdentity } from './mail.ts';
import type { DeploymentSettings } from './settings.ts';
import { existingStack, leftovers } from './stack.ts';

/** In the order of the output, after the check of the credentials. */
export const checks: readonly Check[] = [
  bootstrap,
  existingStack,
  leftovers,
  streaming,
  accountConcurrency,
  chatConcurrency,
  distribution,
  mailIdentity,
  mailAccount,
  logRole,
  bedrockModels,
];

export interface CheckResult extends Finding {
  name: string;
}

/** Without accepted credentials, all other checks are skipped. */
export async function runChecks(
  { settings, bootstrapQualifier }: DeploymentSettings,
  aws: AwsSettings,
): Promise<CheckResult[]> {
  const { finding, accountId } = await identifyCaller(aws);
  const applicable = checks.filter(({ applies }) => applies?.(settings) ?? true);
  const caller = { name: 'credentials', ...finding };
  if (accountId === null) return [caller, ...applicable.map(skip)];

  const client = new CloudFormationClient(aws.clientConfig);
  const findStackOnce = lazy(() => findStack(client, settings.stackName));
  const deployment: Deployment = {
    settings,
    aws,
    accountId,
    bootstrapQualifier,
    findStack: findStackOnce,
    listStackResources: lazy(async () => {
      const stack = await findStackOnce();
      return stack === null ? [] : listResources(client, stack);
    }),
  };
  return [caller, ...(await Promise.all(applicable.map((check) => runCheck(check, deployment))))];
}

function skip({ name }: Check): CheckResult {
  return { name, status: 'skipped', message: 'Skipped, because the check of the credentials failed' };
}

async function runCheck(check: Check, deployment: Deployment): Promise<CheckResult> {
  const { name, permissions } = check;
  try {
    return { name, ...(await check.run(deployment)) };
  } catch (error) {
    if (isAccessDenied(error)) {
      const message = 'Your AWS identity may not read this';
      return {
        name,
        status: 'unknown',
        message,
        action: `Allow ${permissions.join(', ')}, or check by hand`,
      };
    }
    if (!isCallError(error)) throw error;
    return { name, status: 'unknown', message: `AWS did not tell: ${error.name}: ${error.message}` };
  }
}
