import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { remove } from '#dashboard/api/client.ts';
import { Button } from '#dashboard/components/button.tsx';
import { Form } from '#dashboard/components/forms/form.tsx';
import { TextField } from '#dashboard/components/forms/text-field.tsx';
import { Dialog, FormActions } from '#dashboard/components/overlay/dialog.tsx';
import { Row, Section } from '#dashboard/components/section.tsx';
import { leave } from '#dashboard/shell/sign-in-service.ts';
import { isSameAddress } from '#lambdas/accounts/email-address.ts';

export function DeleteAccount({ email }: { email: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title="Danger zone" tone="danger">
      <Row label="Delete my account" description="Removes your details and ends all your sessions, for good.">
        <Button size="small" variant="danger-quiet" onClick={() => setOpen(true)}>
          Delete account
        </Button>
      </Row>
      <Dialog
        open={isOpen}
        onOpenChange={setOpen}
        title="Delete your account?"
        description="Your name, address, passkeys and sessions are removed, and you leave all organizations. API keys that you have created keep working: revoke first those that should not. This cannot be undone."
      >
        <DeleteAccountForm email={email} onCancel={() => setOpen(false)} />
      </Dialog>
    </Section>
  );
}

function DeleteAccountForm({ email, onCancel }: { email: string; onCancel: () => void }) {
  const deletion = useMutation({
    mutationFn: () => remove('/account', { email }),
    onSuccess: () => leave('account_deleted'),
  });
  return (
    <Form fields={['email']} error={deletion.error} onSubmit={() => deletion.mutateAsync()}>
      <TextField
        label="Your e-mail address"
        description={
          <>
            Type <strong className="font-medium text-text select-all">{email}</strong> to confirm.
          </>
        }
        name="email"
        inputMode="email"
        autoComplete="off"
        validate={(value) => (isSameAddress(value.trim(), email) ? null : 'This is not your e-mail address')}
      />
      <FormActions onCancel={onCancel} variant="danger" pending={deletion.isPending || deletion.isSuccess}>
        Delete account
      </FormActions>
    </Form>
  );
}
