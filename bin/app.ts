import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { GatewayStack } from '#lib/gateway-stack.ts';
import { readSettings, type Settings } from '#lib/settings.ts';

const app = new App();
const settings = readSettingsOrExit();

new GatewayStack(app, settings.stackName, { settings });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

/** A setting that is wrong needs its one line, not a stack trace. */
function readSettingsOrExit(): Settings {
  try {
    return readSettings((name) => app.node.tryGetContext(name));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
