import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { type Patient, PatientsService } from './patients.service.js';

@Controller('patients')
export class PatientsController {
  constructor(private readonly patients: PatientsService) {}

  @Post()
  async add(@Body() patient: Patient): Promise<{ added: string }> {
    await this.patients.add(patient);
    return { added: patient.name };
  }

  @Get()
  list(): Promise<Patient[]> {
    return this.patients.list();
  }

  @Post('search')
  @HttpCode(200)
  find(@Body() { email }: Patient): Promise<Patient[]> {
    return this.patients.find(email);
  }
}
