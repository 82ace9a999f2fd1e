import { randomUUID } from 'node:crypto';
import { ConflictException, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { records, StoredPatient } from './patient.js';

export interface Patient {
  name: string;
  email: string;
  born: string;
}

@Injectable()
export class PatientsService {
  constructor(@InjectRepository(StoredPatient) private readonly stored: Repository<StoredPatient>) {}

  async add({ name, email, born }: Patient): Promise<void> {
    const id = randomUUID();
    const row = await records.encryptRow('patients', id, { id, name, email, born });
    const insert = this.stored.createQueryBuilder().insert().values(row);
    const { raw } = await insert.orIgnore().returning('id').execute();
    if (raw.length === 0) throw new ConflictException('the address is taken');
  }

  async list(): Promise<Patient[]> {
    return this.decrypt(await this.stored.find());
  }

  async find(email: string): Promise<Patient[]> {
    const { email_index } = await records.where('patients', { email });
    return this.decrypt(await this.stored.findBy({ email_index: In(email_index) }));
  }

  private async decrypt(rows: StoredPatient[]): Promise<Patient[]> {
    const patients = await records.decryptRows('patients', rows, ({ id }) => id);
    return patients.map(({ name, email, born }) => ({ name, email, born }));
  }
}
