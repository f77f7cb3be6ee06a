plan.target @small like sm90 { sms 66 }
