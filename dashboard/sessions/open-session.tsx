import { useState } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { Form } from '#dashboard/components/forms/form.tsx';
import { TextField } from '#dashboard/components/forms/text-field.tsx';
import { sessionsRoute } from './route.ts';

/** Opens a session by its id, also one that is not among those listed. */
export function OpenSession() {
  const navigate = sessionsRoute.useNavigate();
  const [sessionId, setSessionId] = useState('');
  return (
    <Form
      fields={['session_id']}
      error={null}
      onSubmit={() => navigate({ search: (search) => ({ ...search, session_id: sessionId.trim() }) })}
      className="flex w-full items-start gap-2 sm:w-auto"
    >
      <div className="min-w-0 flex-1 sm:w-56">
        <TextField
          label="Session ID"
          hiddenLabel
          name="session_id"
          placeholder="Session ID"
          maxLength={256}
          value={sessionId}
          onValueChange={setSessionId}
          validate={(value) => (value.trim() === '' ? 'Enter the ID of a session' : null)}
        />
      </div>
      <Button type="submit">Open</Button>
    </Form>
  );
}
