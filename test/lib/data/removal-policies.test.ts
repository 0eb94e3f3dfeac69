import { expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();

/** The paths of the resources with a deletion policy, by policy. */
function pathsByPolicy(): Record<string, string[]> {
  const types = Object.values(gateway.template.toJSON().Resources as Record<string, { Type: string }>);
  const resources = [...new Set(types.map(({ Type }) => Type))].flatMap(gateway.ofType);
  const retained = resources.filter(({ resource }) => resource.DeletionPolicy?.startsWith('Retain'));
  for (const { resource } of retained) expect(resource.UpdateReplacePolicy).toBe('Retain');
  return Object.fromEntries(
    ['Retain', 'RetainExceptOnCreate'].map((policy) => [
      policy,
      retained
        .filter(({ resource }) => resource.DeletionPolicy === policy)
        .map(({ path }) => path)
        .sort(),
    ]),
  );
}

it('leaves only resources with deletion protection, and the role that all APIs share, after a failed creation', () => {
  expect(pathsByPolicy()).toEqual({
    Retain: [
      'AuditTrail',
      'BudgetCounters',
      'ConversationState',
      'CostRollups',
      'Dashboard/Accounts',
      'Dashboard/UserPool',
      'Directory',
      'LogEntries',
      'Prices',
      'RestApi/Api/Account',
      'RestApi/Api/CloudWatchRole',
    ],
    RetainExceptOnCreate: [
      'BudgetChanges/DeadLetters',
      'Chat/FunctionLogGroup',
      'CostRollup/DeadLetters',
      'LogRecovery/DeadLetters',
      'LogRecovery/LostEntries',
      'ProviderSecret',
    ],
  });
});
