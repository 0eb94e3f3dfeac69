import { Validations } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import type { GatewayConfig } from '#lib/settings/settings.ts';
import { createGateway } from '../synthesized-gateway.ts';

/** Returns the rules of cdk-nag whose findings are acknowledged in the dashboard, with the wildcards of `IAM5` left out. */
function acknowledgedRules(config: GatewayConfig): string[] {
  const dashboard = createGateway(config).stack.node.findChild('Dashboard');
  const rules = dashboard.node
    .findAll()
    .flatMap(({ node }) => node.metadata)
    .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
    .flatMap(({ data }) => Object.keys(data))
    .map((id) => id.replace(/^.*AwsSolutions-(\w+).*$/, '$1'));
  return [...new Set(rules)].sort();
}

const certificate = 'arn:aws:acm:us-east-1:123456789012:certificate/1234-abcd';

describe('Acknowledged findings of the dashboard', () => {
  it.each<[GatewayConfig, string[]]>([
    [{}, ['CFR1', 'CFR2', 'CFR3', 'CFR4', 'COG2', 'COG8', 'IAM5', 'S1']],
    [
      { dashboardDomain: 'gateway.acme.example', dashboardCertificateArn: certificate, requireMfa: true },
      ['CFR1', 'CFR2', 'CFR3', 'COG8', 'IAM5', 'S1'],
    ],
  ])('with %j are %j', (config, rules) => {
    expect(acknowledgedRules(config)).toEqual(rules);
  });
});
