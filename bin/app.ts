import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { buildConcurrently } from '#lib/build.ts';
import { loadSettings } from '#lib/settings/config-file.ts';
import { SettingsError } from '#lib/settings/validation.ts';
import { standardErrors } from '#lib/terminal-output.mjs';

const app = new App();
try {
  const settings = await loadSettings({
    context: app.node.getAllContext(),
    projectDirectory: join(import.meta.dirname, '..'),
    workingDirectory: process.cwd(),
  });
  // While the builds run, load the constructs.
  const [{ GatewayStack }, { AwsSolutionsChecks }] = await Promise.all([
    import('#lib/gateway-stack.ts'),
    import('cdk-nag'),
    buildConcurrently(settings),
  ]);
  new GatewayStack(app, settings.stackName, { settings });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
} catch (error) {
  // Operators need the line that names the invalid setting, not a stack trace.
  if (!(error instanceof SettingsError)) throw error;
  standardErrors.write(`${error.message}\n`);
  process.exit(1);
}
