/** What the services that the stack configures could write of a request beside their logs, which have tests of their own. */
import { expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();
const propertiesOf = (type: string) => gateway.ofType(type).map(({ resource }) => resource.Properties);

it('The stack has no traces', () => {
  const stages = propertiesOf('AWS::ApiGateway::Stage');
  expect(stages.map(({ TracingEnabled }) => TracingEnabled)).toEqual([undefined]);
  const functions = propertiesOf('AWS::Lambda::Function');
  expect(functions.map(({ TracingConfig }) => TracingConfig)).toEqual(functions.map(() => undefined));
});

it('The stack makes no metric of a log line, and sends none elsewhere', () => {
  const types = ['AWS::Logs::MetricFilter', 'AWS::Logs::SubscriptionFilter', 'AWS::Logs::Destination'];
  expect(types.flatMap((type) => gateway.ofType(type))).toEqual([]);
});
