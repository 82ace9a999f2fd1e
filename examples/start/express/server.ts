import express, { type ErrorRequestHandler } from 'express';
import { db } from './db.ts';

const select = { name: true, email: true, born: true } as const;
const app = express().use(express.json());

app.post('/patients', async (request, response) => {
  const { name, email, born } = request.body;
  await db.patient.create({ data: { name, email, born } });
  response.status(201).json({ added: name });
});

app.get('/patients', async (_request, response) => {
  response.json(await db.patient.findMany({ select }));
});

app.post('/patients/search', async (request, response) => {
  const { email } = request.body;
  response.json(await db.patient.findMany({ where: { email }, select }));
});

const refuse: ErrorRequestHandler = (error, _request, response, _next) => {
  const isTaken = error.code === 'P2002';
  response.status(isTaken ? 409 : 500).json({ error: isTaken ? 'the address is taken' : 'failed' });
};
app.use(refuse);
app.listen(3000, () => console.log('Open http://localhost:3000/patients'));
